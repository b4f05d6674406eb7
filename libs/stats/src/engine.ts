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
  /** The last error that shows that tables or files are missing or damaged, until `forgetDamage`. */
  private damage: string | null = null;

  constructor(
    private readonly connection: () => Promise<StatsConnection>,
    private readonly kind: 'embedded' | 'server',
  ) {
    this.queries = new Semaphore(CONCURRENT_QUERIES[kind]);
  }

  get damageReason(): string | null {
    return this.damage;
  }

  forgetDamage(): void {
    this.damage = null;
  }

  /** Runs while no statement runs. It must not run statements itself. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const permits = [...Array.from({ length: CONCURRENT_QUERIES[this.kind] }, () => this.queries), this.inserts];
    return permits.reduce<() => Promise<T>>((run, permit) => () => permit.run(run), work)();
  }

  async select<T>({ query, params }: Statement): Promise<T[]> {
    await this.connection();
    return this.queries.run(() =>
      this.noticingDamage(async ({ client }) => {
        const result = await client.query({
          query,
          query_params: params,
          format: 'JSONEachRow',
          clickhouse_settings: SETTINGS,
        });
        return result.json<T>();
      }),
    );
  }

  async insert({ token, ...request }: EngineInsert): Promise<void> {
    await this.connection();
    const settings = token === undefined ? SETTINGS : { ...SETTINGS, insert_deduplication_token: token };
    await this.inserts.run(() => this.noticingDamage((connection) => connection.insert({ ...request, settings })));
  }

  async command(query: string): Promise<void> {
    await this.connection();
    await this.inserts.run(() =>
      this.noticingDamage(({ client }) => client.command({ query, clickhouse_settings: SETTINGS })),
    );
  }

  /** The connection may be another one than before the wait for the permit. */
  private async noticingDamage<T>(run: (connection: StatsConnection) => Promise<T>): Promise<T> {
    try {
      return await run(await this.connection());
    } catch (error) {
      if (isDamage(error)) this.damage = (error as Error).message.split('\n', 1)[0];
      throw error;
    }
  }
}

/** Names of ClickHouse errors about values. */
const REFUSED_ROW =
  /\b(CANNOT_PARSE_\w+|CANNOT_CONVERT_TYPE|INCORRECT_DATA|TYPE_MISMATCH|VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE|DECIMAL_OVERFLOW)\b/;

/** Names of ClickHouse errors about tables and files that are missing or damaged, and the messages of its file system library. */
const DAMAGE =
  /\b(UNKNOWN_TABLE|UNKNOWN_DATABASE|FILE_DOESNT_EXIST|NO_FILE_IN_DATA_PART|CHECKSUM_DOESNT_MATCH|CORRUPTED_DATA|CANNOT_READ_ALL_DATA|BAD_SIZE_OF_FILE_IN_DATA_PART|CANNOT_DECOMPRESS|UNEXPECTED_END_OF_FILE)\b|filesystem error|No such file or directory|Unknown table expression/;

function isDamage(error: unknown): boolean {
  const { type = '', message = '' } = error as { type?: string; message?: string };
  return DAMAGE.test(type) || DAMAGE.test(message);
}

/** Names of ClickHouse errors about limits of one query, and the words of the limit on its memory. */
const LIMIT_OF_QUERY =
  /\b(TOO_MANY_ROWS|TOO_MANY_BYTES|TOO_MANY_ROWS_OR_BYTES|TOO_SLOW|SET_SIZE_LIMIT_EXCEEDED|TOO_DEEP_AST|TOO_BIG_AST|QUERY_IS_TOO_LARGE|TIMEOUT_EXCEEDED)\b/;
const MEMORY_OF_QUERY = /\b(?:query memory limit exceeded|memory limit \(for query\) exceeded)/i;

/** The engine ended a query because it alone needs too much; the memory of the whole engine is no fault of one query. */
export function isTooCostly(error: unknown): boolean {
  const { type = '', message = '' } = error as { type?: string; message?: string };
  return LIMIT_OF_QUERY.test(type) || LIMIT_OF_QUERY.test(message) || MEMORY_OF_QUERY.test(message);
}

/** The store does not take a row of an insert. A server names the error in `type`, the embedded engine in the message. */
export function isRefusedRow(error: unknown): boolean {
  const { type = '', message = '' } = error as { type?: string; message?: string };
  return REFUSED_ROW.test(type) || REFUSED_ROW.test(message);
}
