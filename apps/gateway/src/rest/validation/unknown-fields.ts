import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';

const declaredByDto = new Map<unknown, ReadonlySet<string>>();
const unknownNames = new WeakMap<object, string[]>();

const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 64;

/** The fields that a DTO class declares, including those of its base classes. */
export function declaredFields(dto: Type): ReadonlySet<string> {
  let fields = declaredByDto.get(dto);
  if (!fields) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    declaredByDto.set(dto, (fields = new Set(metadata.map(({ propertyName }) => propertyName))));
  }
  return fields;
}

/** Remembers the fields of a body or query that its DTO does not declare, for `x-ignored-fields`. */
export function rememberUnknownFields(given: object, names: string[]): void {
  if (names.length > 0) unknownNames.set(given, names);
}

/** The value of `x-ignored-fields` for a body (or the elements of a batch) and a query: URL-encoded, at most 20 names. */
export function unknownFieldsHeader(...given: unknown[]): string | undefined {
  const names = given
    .flat()
    .flatMap((one) => (typeof one === 'object' && one !== null ? (unknownNames.get(one) ?? []) : []));
  if (names.length === 0) return undefined;
  return [...new Set(names)]
    .slice(0, MAX_NAMES)
    .map((name) => encodeURIComponent([...name.slice(0, 2 * MAX_NAME_LENGTH)].slice(0, MAX_NAME_LENGTH).join('')))
    .join(', ');
}
