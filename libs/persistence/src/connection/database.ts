import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { isStorageError } from './database-monitor.js';
import type { DiskSpace } from './disk-space.js';

/** Attempts of a transaction in which another one interferes. */
const TRANSACTION_ATTEMPTS = 5;

export interface PreparedQuery {
  /** The server parses and plans a named statement once per connection. */
  name: string;
  text: string;
  values: unknown[];
}
export interface QueryResult<R> {
  rows: R[];
  rowCount: number;
}

/** Runs SQL: the pool, or the connection of a transaction. */
export interface Queryable {
  query<R = Record<string, unknown>>(query: string | PreparedQuery, values?: unknown[]): Promise<QueryResult<R>>;
}

/** Serialization failure or deadlock (PostgreSQL, appendix A): the transaction can be repeated. */
const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes((error as { code?: string }).code ?? '');

/** Unique violation (PostgreSQL, appendix A). */
const isDuplicate = (error: unknown): boolean => (error as { code?: string }).code === '23505';

/** program_limit_exceeded (PostgreSQL, appendix A: class 54): the statement is too complex, whenever it is repeated. */
const isTooComplex = (error: unknown): boolean => ((error as { code?: string }).code ?? '').startsWith('54');

/** lock_not_available and idle_in_transaction_session_timeout (PostgreSQL, appendix A). */
const TIMEOUTS = new Set(['55P03', '25P03']);

/**
 * The server is unreachable, overloaded or shutting down (PostgreSQL, appendix A: classes 08, 53, 57), cannot store data,
 * or a lock or the socket failed: the same statement may succeed later.
 */
export function isUnavailable(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (TIMEOUTS.has(code) || isStorageError(code)) return true;
  return /^(08|53|57)/.test(code) || /^E[A-Z]+$/.test(code) || /connection|timeout/i.test(message);
}

/**
 * The connection pool of TypeORM without its query builder. Accept, claim, settle and the event log use it with prepared
 * statements and binary parameters; management code uses TypeORM repositories.
 */
@Injectable()
export class Database implements Queryable {
  constructor(
    readonly dataSource: DataSource,
    private readonly diskSpace?: DiskSpace,
  ) {}

  /** Why no new mail may be stored; null: there is space. What has been accepted is still delivered and recorded. */
  get intakeProblem(): string | null {
    return this.diskSpace?.problem() ?? null;
  }

  async query<R = Record<string, unknown>>(query: string | PreparedQuery, values?: unknown[]): Promise<QueryResult<R>> {
    const result = await (typeof query === 'string' ? this.pool().query(query, values) : run(this.pool(), query));
    return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 };
  }

  /** Runs `work` in one transaction, which is rolled back when `work` throws. A broken connection leaves the pool. */
  async transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    const client = await this.pool().connect();
    let broken: Error | undefined;
    // A connection cut between two statements emits 'error'; without a listener that ends the process.
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    try {
      await client.query('BEGIN');
      const result = await work(queryableOf(client));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  /** Like `transaction`, repeated after a serialization failure or deadlock; `work` must have no other side effects. */
  async transactionWithRetry<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transaction(work);
      } catch (error) {
        if (!isRetryable(error) || attempt === TRANSACTION_ATTEMPTS) throw error;
      }
    }
  }

  /** A dedicated connection, for LISTEN and session locks. `release()` closes it. */
  async session(): Promise<Queryable & { client: pg.PoolClient; release(): void }> {
    const client = await this.pool().connect();
    client.on('error', () => undefined);
    return { ...queryableOf(client), client, release: () => client.release(true) };
  }

  private pool(): pg.Pool {
    return (this.dataSource.driver as unknown as { master: pg.Pool }).master;
  }
}

/** The part of the pool and of a client that takes a query object. */
interface QueryRunner {
  query(query: pg.Query, done: (error: Error | null, result: pg.QueryResult) => void): void;
}

/**
 * Passes a query object: the driver copies a plain configuration by property descriptors, which makes a hidden class per
 * statement and costs more than the rest of the call.
 */
async function run(runner: pg.Pool | pg.ClientBase, { name, text, values }: PreparedQuery): Promise<pg.QueryResult> {
  const query = Object.assign(new pg.Query(text, values), { name });
  const result = new Promise<pg.QueryResult>((resolve, reject) => {
    (runner as QueryRunner).query(query, (error, rows) => (error ? reject(error) : resolve(rows)));
  });
  return result.catch((error: Error) => {
    // The stack then leads to the caller instead of the socket.
    Error.captureStackTrace(error);
    throw error;
  });
}

/** One connection. */
export function queryableOf(client: pg.ClientBase): Queryable {
  return {
    async query<R>(query: string | PreparedQuery, values?: unknown[]): Promise<QueryResult<R>> {
      const result = await (typeof query === 'string' ? client.query(query, values) : run(client, query));
      return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 };
    },
  };
}

/** The transaction of TypeORM, for functions that take a `Queryable`. @throws outside of a transaction */
export async function transactionOf({ queryRunner }: EntityManager): Promise<Queryable> {
  if (!queryRunner?.isTransactionActive) throw new Error('There is no transaction');
  return queryableOf((await queryRunner.connect()) as pg.PoolClient);
}

/** What an error of the server means. */
export const databaseErrors = { isDuplicate, isRetryable, isTooComplex, isUnavailable };
