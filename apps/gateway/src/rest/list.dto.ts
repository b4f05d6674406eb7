import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { isId, LIMITS, Refusal, type IdPrefix, type Page, type PageRequest } from '#libs/contracts';
import { ByRule } from './by-rule.js';
import { limitRule, queryTextRule } from './query-rules.js';

/** Parameters of every unbounded list (D-8). A list with filters extends this class. */
export class PageQuery {
  @ByRule(limitRule, {
    doc: {
      description: 'Entries per page',
      type: 'integer',
      minimum: 1,
      maximum: LIMITS.listMaximum,
      default: LIMITS.listDefault,
    },
  })
  limit?: string;

  @ByRule(queryTextRule, {
    doc: { type: String, description: 'The id of the last entry seen: the page begins right after it' },
  })
  after?: string;

  @ByRule(queryTextRule, {
    doc: { type: String, description: 'The id of an entry: the page ends right before it. Not together with `after`' },
  })
  before?: string;
}

/** The page that was asked for. @throws Refusal `validation_error` for both cursors at once or another kind of id. */
export function pageRequest(query: PageQuery, prefix: IdPrefix): PageRequest {
  const { limit = String(LIMITS.listDefault), after, before } = query;
  if (after !== undefined && before !== undefined)
    throw new Refusal(
      'validation_error',
      [{ field: 'before', code: 'exclusive', message: 'must not be given together with after' }],
      'Give either after or before, not both.',
    );
  for (const [field, value] of Object.entries({ after, before })) {
    if (value !== undefined && !isId(prefix, value))
      throw new Refusal(
        'validation_error',
        [{ field, code: 'invalid_cursor', message: `must be an id such as ${prefix}_…` }],
        `The parameter ${field} must be an id such as ${prefix}_….`,
      );
  }
  return {
    limit: Number(limit),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
  };
}

/** The class of a list of `item`s, for `openapi.json`: `class EmailList extends listOf(EmailItem) {}`. */
export function listOf<T>(item: Type<T>): Type<Page<T>> {
  class ListDto implements Page<T> {
    @ApiProperty({ enum: ['list'] })
    object: 'list';

    @ApiProperty({ description: 'Whether there is another page in this direction' })
    has_more: boolean;

    @ApiProperty({ type: [item], description: 'The entries of this page, newest first' })
    data: T[];

    @ApiProperty({
      type: String,
      nullable: true,
      example: 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa',
      description: 'Give it as `after` (or as `before`, when paging backwards) to get the next page; null on the last',
    })
    next_cursor: string | null;
  }
  return ListDto;
}
