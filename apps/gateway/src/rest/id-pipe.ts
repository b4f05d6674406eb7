import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { isId, Refusal, type IdPrefix } from '#libs/contracts';

/**
 * Ids in the path, one or all of them: what has not the form of one names nothing (404). It never reaches the database,
 * which cannot even be asked for a text with NUL.
 */
export class IdPipe implements PipeTransform {
  /** The kind of id that each path parameter has. */
  constructor(private readonly kinds: Readonly<Record<string, IdPrefix>>) {}

  transform<T extends string | Record<string, string>>(value: T, { data }: ArgumentMetadata): T {
    const given = typeof value === 'string' ? { [data as string]: value } : value;
    for (const [name, id] of Object.entries(given)) if (!isId(this.kinds[name], id)) throw new Refusal('not_found');
    return value;
  }
}
