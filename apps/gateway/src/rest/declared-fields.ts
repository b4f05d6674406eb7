import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';

const declared = new Map<unknown, ReadonlySet<string>>();
const ignoredNames = new WeakMap<object, string[]>();

const MAX_NAMED = 20;
const MAX_NAME_LENGTH = 64;

/** The fields that a DTO class declares, those of its base classes included. */
export function declaredFields(dto: Type): ReadonlySet<string> {
  let fields = declared.get(dto);
  if (!fields) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    declared.set(dto, (fields = new Set(rules.map((rule) => rule.propertyName))));
  }
  return fields;
}

/** Notes the fields of a body or query that nobody reads, for `x-ignored-fields`. */
export function rememberIgnored(given: object, names: string[]): void {
  if (names.length > 0) ignoredNames.set(given, names);
}

/** The value of `x-ignored-fields` for a body (or a batch of them) and a query (D-5): URL-encoded, at most twenty. */
export function ignoredFieldsOf(...given: unknown[]): string | undefined {
  const names = given
    .flat()
    .flatMap((one) => (typeof one === 'object' && one !== null ? (ignoredNames.get(one) ?? []) : []));
  if (names.length === 0) return undefined;
  return [...new Set(names)]
    .slice(0, MAX_NAMED)
    .map((name) => encodeURIComponent([...name.slice(0, 2 * MAX_NAME_LENGTH)].slice(0, MAX_NAME_LENGTH).join('')))
    .join(', ');
}
