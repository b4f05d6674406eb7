import type { IdRange } from './id-range.js';

/** Email ids in the order of the page, read from an index only as far as needed. */
export interface IdScan {
  /** A SELECT with the column `id` and the columns of `order`. */
  sql: string;
  /** The columns that it is ordered by, most significant first. */
  order: readonly string[];
}

/** The statement and the page that a scan is built for. */
export interface ScanContext {
  /** The id of the account, and the parameter with its value. */
  accountId: string;
  account: string;
  parameters: StatementParameters;
  range: IdRange;
}

/** Builds one scan as part of a statement. */
export type ScanBuilder = (context: ScanContext) => IdScan;

/** The parameters of a statement while it is built. */
export class StatementParameters {
  readonly values: unknown[] = [];

  /** Returns the placeholder of this value, such as `$3`. */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

/** A LIMIT that keeps the planner from flattening a subquery, so that it is read in its own order. */
export const NO_LIMIT = 1_000_000_000;
