import type { ClickHouseSettings } from '@clickhouse/client';
import { Semaphore } from '#libs/kernel';
import { MEMORY_LIMIT_BYTES, type StatsConnection } from './connection.js';

/** A statement for the engine. All values from outside are parameters. */
export interface Statement {
  query: string;
  params: Record<string, string | number | readonly string[]>;
}

export interface EngineInsert {
  table: string;
  columns: readonly string[];
  /** Values in the order of the columns. */
  rows: readonly unknown[][];
  /** The same rows with the same token count once. */
  token?: string;
}

/** Queries of the embedded engine take threads of libuv's pool, which DNS and the file system need as well. */
const CONCURRENT_QUERIES = { embedded: 2, server: 8 };
/** For inserts, so that they do not wait for questions. */
const CONCURRENT_INSERTS = 1;

const SETTINGS: ClickHouseSettings = {
  max_memory_usage: String(MEMORY_LIMIT_BYTES),
  async_insert: 0,
  // Counts are far below 2^53, and text takes longer to write and to read. Positions and batches are selected as text.
  output_format_json_quote_64bit_integers: 0,
  // After a crash between the events and a roll-up, the repeated insert completes the roll-up.
  deduplicate_blocks_in_dependent_materialized_views: 1,
};

/** Runs statements on a connection, with permits of their own for queries and for inserts. */
export class Engine {
  private readonly queries: Semaphore;
  private readonly inserts = new Semaphore(CONCURRENT_INSERTS);

  constructor(
    private readonly connection: () => Promise<StatsConnection>,
    kind: 'embedded' | 'server',
  ) {
    this.queries = new Semaphore(CONCURRENT_QUERIES[kind]);
  }

  async select<T>({ query, params }: Statement): Promise<T[]> {
    const { client } = await this.connection();
    return this.queries.run(async () => {
      const result = await client.query({
        query,
        query_params: params,
        format: 'JSONEachRow',
        clickhouse_settings: SETTINGS,
      });
      return result.json<T>();
    });
  }

  async insert({ token, ...request }: EngineInsert): Promise<void> {
    const connection = await this.connection();
    const settings = token === undefined ? SETTINGS : { ...SETTINGS, insert_deduplication_token: token };
    await this.inserts.run(() => connection.insert({ ...request, settings }));
  }

  async command(query: string): Promise<void> {
    const { client } = await this.connection();
    await this.inserts.run(() => client.command({ query, clickhouse_settings: SETTINGS }));
  }
}

/** Names of ClickHouse errors about values. */
const REFUSED_ROW =
  /\b(CANNOT_PARSE_\w+|CANNOT_CONVERT_TYPE|INCORRECT_DATA|TYPE_MISMATCH|VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE|DECIMAL_OVERFLOW)\b/;

/** The store does not take a row of an insert. A server names the error in `type`, the embedded engine in the message. */
export function isRefusedRow(error: unknown): boolean {
  const { type = '', message = '' } = error as { type?: string; message?: string };
  return REFUSED_ROW.test(type) || REFUSED_ROW.test(message);
}
