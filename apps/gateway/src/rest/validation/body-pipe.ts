import { Refusal } from '#libs/contracts';
import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { fieldRules, validateFields } from './field-rule.decorator.js';
import { declaredFields, rememberUnknownFields } from './unknown-fields.js';

/** Turns a parsed JSON body into the DTO that the parameter declares. */
@Injectable()
export class BodyPipe implements PipeTransform {
  transform(body: unknown, { metatype }: ArgumentMetadata): object {
    if (!metatype) throw new Error('BodyPipe needs a parameter whose type is a DTO class');
    return parseBody(body ?? {}, metatype as Type<object>);
  }
}

/**
 * A JSON object as an instance of its DTO class. Only declared fields are copied, one by one and without conversion, so
 * no key of the body reaches a prototype. Null in an optional field is taken as absent: typed clients write all fields.
 * @throws Refusal that lists all problems
 */
export function parseBody<T extends object>(body: unknown, dtoClass: Type<T>): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw Refusal.ofFields([{ field: '', code: 'invalid_type', message: 'must be a JSON object' }]);
  const dto = copyDeclared(body as Record<string, unknown>, dtoClass);
  const problems = validateFields(dto);
  if (problems.length > 0) throw Refusal.ofFields(problems);
  return dto;
}

function copyDeclared<T extends object>(body: Record<string, unknown>, dtoClass: Type<T>): T {
  const dto = new dtoClass();
  const fields = dto as Record<string, unknown>;
  const declared = declaredFields(dtoClass);
  const rules = fieldRules(dtoClass);
  const unknown: string[] = [];
  for (const field of Object.keys(body)) {
    if (!declared.has(field)) unknown.push(field);
    else if (body[field] !== null || rules.get(field)?.isNullAbsent !== true) {
      const members = rules.get(field)?.members;
      fields[field] = members === undefined ? body[field] : withoutNulls(body[field]);
      unknown.push(...unknownMembers(body[field], field, members));
    }
  }
  rememberUnknownFields(body, unknown);
  return dto;
}

/** An object, or each object of an array, without members that are null. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => (Array.isArray(one) ? one : withoutNulls(one)));
  if (typeof value !== 'object' || value === null || !Object.values(value).includes(null)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

/** Paths such as `tracking.color` and `attachments[0].color`. */
function unknownMembers(value: unknown, path: string, members: ReadonlySet<string> | undefined): string[] {
  if (members === undefined || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one, i) => unknownMembers(one, `${path}[${i}]`, members));
  return Object.keys(value).flatMap((name) => (members.has(name) ? [] : [`${path}.${name}`]));
}
