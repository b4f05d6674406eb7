import type { IdRange } from './id-range.js';
import type { Parameters } from './parameters.js';

/** Ids of mails in the order of the page, read from an index only as far as they are asked for. */
export interface IdStream {
  /** A SELECT with the column `id` and the others of `order`. */
  sql: string;
  /** Columns by which it is ordered, most significant first. */
  order: readonly string[];
}

/** The statement and the page that a stream becomes a part of. */
export interface StreamPlace {
  /** The id of the account, and the parameter that stands for it. */
  accountId: string;
  account: string;
  parameters: Parameters;
  range: IdRange;
}

/** Writes one stream into a statement. */
export type StreamWriter = (at: StreamPlace) => IdStream;
