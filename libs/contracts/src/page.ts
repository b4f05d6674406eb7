/** One page of a list, newest first unless the route says otherwise; see docs/decisions/013-api-conventions.md. */
export interface Page<T> {
  object: 'list';
  has_more: boolean;
  data: T[];
  /** The value of `after` for the next page, or of `before` if this page was requested with `before`. */
  next_cursor: string | null;
}

/** A page request: at most `limit` entries right after, or right before, the entry with this id. Never both. */
export interface PageRequest {
  /** 1 to 100. */
  limit: number;
  after?: string;
  before?: string;
}

/**
 * Makes a page from rows that were read by key: up to `limit + 1` rows, newest first, or oldest first for `before`. The
 * additional row only shows that there are more.
 */
export function toPage<R, T>(
  { limit, before }: PageRequest,
  rows: readonly R[],
  view: { id: (row: R) => string; present: (row: R) => T },
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const has_more = rows.length > limit;
  if (before !== undefined) shown.reverse();
  return {
    object: 'list',
    has_more,
    data: shown.map(view.present),
    next_cursor: has_more && last !== undefined ? view.id(last) : null,
  };
}
