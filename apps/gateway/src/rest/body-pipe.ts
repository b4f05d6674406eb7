import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { getMetadataStorage, validateSync } from 'class-validator';
import { invalidFields } from './invalid-fields.js';
import { problemsOf } from './by-rule.js';

const knownFields = new Map<unknown, ReadonlySet<string>>();
const ignoredFields = new WeakMap<object, string[]>();

const MAX_NAMED = 20;
const MAX_NAME_LENGTH = 64;

/**
 * A parsed JSON body becomes its DTO: only fields that the DTO declares are taken over, nothing is converted, and all
 * problems are told at once. Fields are copied by name, never merged, so no key of the body reaches a prototype.
 */
@Injectable()
export class BodyPipe implements PipeTransform {
  transform(value: unknown, { metatype }: ArgumentMetadata): unknown {
    if (!metatype) throw new Error('BodyPipe needs a parameter whose type is a DTO class');
    const body = value ?? {};
    if (typeof body !== 'object' || Array.isArray(body))
      throw invalidFields([{ field: '', code: 'invalid_type', message: 'must be a JSON object' }]);
    const dto = takeOver(body as Record<string, unknown>, metatype);
    const errors = validateSync(dto, { forbidUnknownValues: true });
    if (errors.length > 0) throw invalidFields(problemsOf(errors));
    return dto;
  }
}

function takeOver(body: Record<string, unknown>, metatype: Type): object {
  const known = fieldsOf(metatype);
  const dto = new metatype() as Record<string, unknown>;
  const ignored: string[] = [];
  for (const field of Object.keys(body)) {
    if (known.has(field)) dto[field] = body[field];
    else ignored.push(field);
  }
  if (ignored.length > 0) ignoredFields.set(body, ignored);
  return dto;
}

function fieldsOf(metatype: Type): ReadonlySet<string> {
  let fields = knownFields.get(metatype);
  if (!fields) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(metatype, '', false, false);
    fields = new Set(rules.map((rule) => rule.propertyName));
    knownFields.set(metatype, fields);
  }
  return fields;
}

/** The value of `x-ignored-fields` for this request's body (D-5): names in URL encoding, at most twenty. */
export function ignoredFieldsOf(body: unknown): string | undefined {
  const names = typeof body === 'object' && body !== null ? ignoredFields.get(body) : undefined;
  return names
    ?.slice(0, MAX_NAMED)
    .map((name) => encodeURIComponent([...name.slice(0, 2 * MAX_NAME_LENGTH)].slice(0, MAX_NAME_LENGTH).join('')))
    .join(', ');
}
