/** One page of an unbounded list (D-8), newest first unless its route says otherwise. */
export interface Page<T> {
  object: 'list';
  has_more: boolean;
  data: T[];
  /** Given as `after` (or as `before`, when this page was asked for with it) it leads to the next page. */
  next_cursor: string | null;
}

/** Which page: at most `limit` entries right after, or right before, the entry with this id; never both. */
export interface PageRequest {
  /** 1–100. */
  limit: number;
  after?: string;
  before?: string;
}

/**
 * The page from rows that were read by key: up to `limit + 1` of them in the order of reading, that is newest first,
 * or oldest first for `before`. The one row too many only says that there is more.
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
