import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { violationsOf } from './by-rule.js';
import { declaredFields, rememberIgnored } from './declared-fields.js';

const MEMBER = /^([a-z_]+)\[([^\]]*)\]$/;

/**
 * Query parameters become their DTO, read strictly: a filter that is dropped in silence shows more than was asked for.
 * `name[key]=value` is gathered into a map under `name`. All problems are told at once; parameters that the DTO does not
 * know are ignored and named in `x-ignored-fields`.
 */
@Injectable()
export class QueryPipe implements PipeTransform {
  transform(value: unknown, { metatype }: ArgumentMetadata): unknown {
    if (!metatype) throw new Error('QueryPipe needs a parameter whose type is a DTO class');
    const query = value as Record<string, unknown>;
    const known = declaredFields(metatype);
    const dto = new metatype() as Record<string, unknown>;
    const ignored: string[] = [];
    for (const name of Object.keys(query)) {
      const [, map, key] = MEMBER.exec(name) ?? [];
      if (map !== undefined && known.has(map)) dto[map] = withMember(dto[map], key, query[name]);
      else if (known.has(name)) dto[name] = query[name];
      else ignored.push(name);
    }
    rememberIgnored(query, ignored);
    const problems = violationsOf(dto);
    if (problems.length === 0) return dto;
    const [{ field, message }] = problems;
    throw new Refusal('invalid_parameter', problems, `The parameter ${field} ${message}.`);
  }
}

/** Without a prototype: a key named `__proto__` is a key like any other. */
function withMember(map: unknown, key: string, value: unknown): unknown {
  const members = (typeof map === 'object' && map !== null ? map : Object.create(null)) as Record<string, unknown>;
  members[key] = value;
  return members;
}
