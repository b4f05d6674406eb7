import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { isId, LIMITS, Refusal, type IdPrefix, type Page, type PageRequest } from '#libs/contracts';
import { exampleId, FlagProperty, idPattern, KindProperty, NullableTextProperty } from '../openapi/properties.js';
import { QueryCursor, QueryLimit } from './validation/query-fields.js';

/** Parameters of every unbounded list. A list with filters extends this class. */
export class PageQuery {
  @QueryLimit()
  limit?: string;

  @QueryCursor('The id of an entry: the page starts with the entry after it')
  after?: string;

  @QueryCursor('The id of an entry: the page ends with the entry before it. Cannot be combined with `after`')
  before?: string;
}

/** @throws Refusal `validation_error` for both cursors at once, or for a cursor that is an id of another kind */
export function pageRequest(query: PageQuery, prefix: IdPrefix): PageRequest {
  const { limit = String(LIMITS.listDefault), after, before } = query;
  if (after !== undefined && before !== undefined)
    throw new Refusal(
      'validation_error',
      [{ field: 'before', code: 'exclusive', message: 'must not be given together with after' }],
      'Give either after or before, not both.',
    );
  for (const [field, value] of Object.entries({ after, before }))
    if (value !== undefined && !isId(prefix, value)) throw invalidCursor(field, `must be an id such as ${prefix}_…`);
  return {
    limit: Number(limit),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
  };
}

export function invalidCursor(field: string, message: string): Refusal {
  const details = [{ field, code: 'invalid_cursor', message }];
  return new Refusal('validation_error', details, `The parameter ${field} ${message}.`);
}

/** The class of a list of `item`s for the API description: `class EmailList extends listOf(EmailItem) {}`. */
export function listOf<T>(item: Type<T>): Type<Page<T>> {
  class ListDto implements Page<T> {
    @KindProperty('list')
    object: 'list';

    @FlagProperty('Whether there are more entries in this direction')
    has_more: boolean;

    @ApiProperty({ type: [item], description: 'The entries of this page, newest first' })
    data: T[];

    @NullableTextProperty(
      'Pass it as `after` (or as `before`, when paging backwards) to get the next page; null on the last page',
      exampleId('em'),
      { pattern: idPattern() },
    )
    next_cursor: string | null;
  }
  return ListDto;
}
