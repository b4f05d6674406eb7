import type { Queryable } from '#libs/persistence';

/** A row as `row_to_json` makes it. */
export type JsonRow = Record<string, unknown>;

/** Tables whose rows are as they were when the events were read, each written before the next. */
export const STATE_TABLES = ['emails', 'recipients', 'email_tags', 'attempts', 'suppressions'] as const;
/** Tables of which emails need rows; rows that a restored database has are left as they are. */
export const CONFIG_TABLES = ['accounts', 'domains', 'domain_keys', 'api_keys'] as const;

export type StateTable = (typeof STATE_TABLES)[number];
export type ConfigTable = (typeof CONFIG_TABLES)[number];

/**
 * One record of the journal: consecutive events of the log, and what they changed. Bodies of emails precede the record of
 * their events, in records of their own.
 */
export type LogRecord =
  | { kind: 'contents'; contents: { email_id: string; format: string; body: string }[] }
  | {
      kind: 'events';
      /** Positions, both inclusive. */
      from: number;
      to: number;
      log: JsonRow[];
      accounts: JsonRow[];
      state: Record<StateTable, JsonRow[]>;
      config: Record<ConfigTable, JsonRow[]>;
      /** Ids of suppressions that were removed. */
      removed: string[];
      keys: JsonRow[];
    };

/** The folder of a series in the place of the journal. */
export const logFolder = (series: string): string => `log/${series}/`;

/** Rows by a condition on alias `t`. */
export async function jsonRows(
  db: Queryable,
  table: StateTable | ConfigTable | 'event_log' | 'event_log_accounts' | 'idempotency_keys',
  [condition, ...values]: [string, ...unknown[]],
): Promise<JsonRow[]> {
  const { rows } = await db.query<{ row: JsonRow }>(
    `SELECT row_to_json(t) AS row FROM ${table} t WHERE ${condition}`,
    values,
  );
  return rows.map(({ row }) => row);
}
