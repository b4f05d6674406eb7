import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { isId, Refusal, type IdPrefix } from '#libs/contracts';

/** The resource, or 404. A resource of another account is answered like one that does not exist. */
export function orNotFound<T>(resource: T | null): T {
  if (resource === null) throw new Refusal('not_found');
  return resource;
}

/**
 * Ids in the path, one or all of them. A malformed id is answered 404 and never reaches the database, which cannot
 * compare text that contains NUL.
 */
export class IdPipe implements PipeTransform {
  /** @param prefixes the kind of id of each path parameter, by its name */
  constructor(private readonly prefixes: Readonly<Record<string, IdPrefix>>) {}

  transform<T extends string | Record<string, string>>(value: T, { data }: ArgumentMetadata): T {
    const given = typeof value === 'string' ? { [data as string]: value } : value;
    for (const [name, id] of Object.entries(given)) requireIds({ [this.prefixes[name]]: id });
    return value;
  }
}

/** @throws Refusal `not_found` for text that is no id of this kind */
function requireIds(given: Readonly<Partial<Record<IdPrefix, string>>>): void {
  for (const [prefix, id] of Object.entries(given)) if (!isId(prefix as IdPrefix, id)) throw new Refusal('not_found');
}
