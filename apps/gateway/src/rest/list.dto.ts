import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { isId, LIMITS, Refusal, type IdPrefix, type Page, type PageRequest } from '#libs/contracts';
import { exampleId, FlagProperty, KindProperty, NullableTextProperty } from '../openapi/properties.js';
import { QueryCursor, QueryLimit } from './validation/query-fields.js';

const AFTER = 'The id of an entry: the page starts with the entry after it';
const BEFORE = 'The id of an entry: the page ends with the entry before it. Cannot be combined with `after`';

/** Parameters of every unbounded list. */
export class PageQuery {
  @QueryLimit()
  limit?: string;

  @QueryCursor(AFTER)
  after?: string;

  @QueryCursor(BEFORE)
  before?: string;
}

/** Parameters of a list whose cursors are ids of this kind: `class LogsQuery extends pageQueryOf('log')`. */
export function pageQueryOf(prefix: IdPrefix): Type<PageQuery> {
  class Query extends PageQuery {
    @QueryCursor(AFTER, prefix)
    override after?: string;

    @QueryCursor(BEFORE, prefix)
    override before?: string;
  }
  return Query;
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

/** The response for a list that is not divided into pages. */
export const completeList = <T>(data: T[]): Page<T> => ({ object: 'list', has_more: false, data, next_cursor: null });

/**
 * The class of a list of `item`s for the API description: `class EmailList extends listOf(EmailItem, 'em') {}`.
 * @param cursor the kind of id that continues the list; without one, a response has all entries
 */
export function listOf<T>(item: Type<T>, cursor?: IdPrefix): Type<Page<T>> {
  class ListDto implements Page<T> {
    @KindProperty('list')
    object: 'list';

    @FlagProperty(
      cursor ? 'Whether there are more entries in this direction' : 'Always false: the list is complete',
      false,
    )
    has_more: boolean;

    @ApiProperty({ type: [item], description: 'The entries' })
    data: T[];

    @NullableTextProperty(
      cursor
        ? 'The value of `after` (or of `before`, when paging backwards) for the next page; null on the last page'
        : 'Always null',
      cursor ? exampleId(cursor) : null,
    )
    next_cursor: string | null;
  }
  return ListDto;
}
