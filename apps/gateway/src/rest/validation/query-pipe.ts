import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { Refusal, type RefusalDetail } from '#libs/contracts';
import { validateFields } from './field-rule.decorator.js';
import { declaredFields, rememberUnknownFields } from './unknown-fields.js';

const MAP_ENTRY = /^[a-z_]+\[([^\]]*)\]$/;
/** The parameters whose entries are given as `name[key]=value`. All others have one value. */
const MAPS = new Set(['tags']);
/** Unknown parameters that one refusal names. */
const MAX_UNKNOWN = 20;

/**
 * Turns query parameters into their DTO. A bad filter is refused, because ignoring it would return more than was asked
 * for. Only maps have entries of the form `name[key]=value`. The value of another parameter is a text, or an array if it is
 * given more than once, which the rule of the field refuses. Parameters that the DTO does not declare are ignored and listed in `x-ignored-fields`.
 */
@Injectable()
export class QueryPipe implements PipeTransform {
  /** The problems of parameters that the DTO does not declare. */
  protected unknownProblems(_names: string[], _declared: ReadonlySet<string>): RefusalDetail[] {
    return [];
  }

  transform(value: unknown, { metatype }: ArgumentMetadata): unknown {
    if (!metatype) throw new Error('QueryPipe needs a parameter whose type is a DTO class');
    const query = value as Record<string, unknown>;
    const declared = declaredFields(metatype);
    const dto = new metatype() as Record<string, unknown>;
    const unknown: string[] = [];
    const nested = new Set<string>();
    for (const name of Object.keys(query)) {
      const [base] = name.split('[', 1);
      const [, key] = MAP_ENTRY.exec(name) ?? [];
      if (!declared.has(base)) unknown.push(name);
      else if (key !== undefined && MAPS.has(base)) dto[base] = withEntry(dto[base], key, query[name]);
      else if (name === base) dto[name] = query[name];
      else nested.add(base);
    }
    rememberUnknownFields(query, unknown);
    const problems = [...validateFields(dto), ...[...nested].map(isNoMap), ...this.unknownProblems(unknown, declared)];
    if (problems.length === 0) return dto;
    const [{ field, message }] = problems;
    throw new Refusal('invalid_parameter', problems, `The parameter ${field} ${message}.`);
  }
}

/** As `QueryPipe`, but refuses unknown parameters: a misspelt one would change what the figures mean. */
@Injectable()
export class StrictQueryPipe extends QueryPipe {
  protected override unknownProblems(names: string[], declared: ReadonlySet<string>): RefusalDetail[] {
    const message = `is unknown; the parameters are ${[...declared].sort().join(', ')}`;
    return names.slice(0, MAX_UNKNOWN).map((field) => ({ field, code: 'unknown_parameter', message }));
  }
}

const isNoMap = (field: string): RefusalDetail => ({
  field,
  code: 'invalid_parameter',
  message: `must be given once, as ${field}=…`,
});

/** The map has no prototype, so a key named `__proto__` is a key like any other. */
function withEntry(map: unknown, key: string, value: unknown): unknown {
  const entries = (typeof map === 'object' && map !== null ? map : Object.create(null)) as Record<string, unknown>;
  entries[key] = value;
  return entries;
}
