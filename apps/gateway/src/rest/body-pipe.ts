import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import type { RefusalDetail } from '#libs/contracts';
import { violationsOf } from './by-rule.js';
import { declaredFields, rememberIgnored } from './declared-fields.js';
import { invalidFields } from './invalid-fields.js';

/**
 * A parsed JSON body becomes its DTO: only fields that the DTO declares are taken over, nothing is converted, and all
 * problems are told at once. Fields are copied by name, never merged, so no key of the body reaches a prototype.
 */
@Injectable()
export class BodyPipe implements PipeTransform {
  transform(value: unknown, { metatype }: ArgumentMetadata): unknown {
    if (!metatype) throw new Error('BodyPipe needs a parameter whose type is a DTO class');
    const { dto, problems } = readBody(value ?? {}, metatype);
    if (problems.length > 0) throw invalidFields(problems);
    return dto;
  }
}

/** One JSON object as a DTO, and everything that is wrong with it. */
export function readBody<T extends object>(body: unknown, metatype: Type<T>): { dto: T; problems: RefusalDetail[] } {
  const dto = new metatype();
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { dto, problems: [{ field: '', code: 'invalid_type', message: 'must be a JSON object' }] };
  takeOver(body as Record<string, unknown>, dto as Record<string, unknown>, declaredFields(metatype));
  return { dto, problems: violationsOf(dto) };
}

function takeOver(body: Record<string, unknown>, dto: Record<string, unknown>, known: ReadonlySet<string>): void {
  const ignored: string[] = [];
  for (const field of Object.keys(body)) {
    if (known.has(field)) dto[field] = body[field];
    else ignored.push(field);
  }
  rememberIgnored(body, ignored);
}
