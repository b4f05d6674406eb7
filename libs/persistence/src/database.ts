import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { DataSource } from 'typeorm';

export interface PreparedQuery {
  /** A named statement is planned once per connection. */
  name: string;
  text: string;
  values: unknown[];
}
export interface QueryResult<R> {
  rows: R[];
  rowCount: number;
}

/** Something that runs SQL: the pool, or the one connection of a transaction. */
export interface Queryable {
  query<R = Record<string, unknown>>(query: string | PreparedQuery, values?: unknown[]): Promise<QueryResult<R>>;
}

/** Serialisation failure and deadlock (PostgreSQL, appendix A): the same work may simply be done again. */
export const isRetryable = (error: unknown): boolean =>
  ['40001', '40P01'].includes((error as { code?: string }).code ?? '');

/** A row with this key exists (PostgreSQL, appendix A). */
export const isDuplicate = (error: unknown): boolean => (error as { code?: string }).code === '23505';

/** The database is away, stalls, or is shutting down (PostgreSQL appendix A: classes 08, 53, 57; or a socket error). */
export function isUnavailable(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return /^(08|53|57)/.test(code) || /^E[A-Z]+$/.test(code) || /connection|timeout/i.test(message);
}

/**
 * Direct access to the connection pool that TypeORM opened. The hot paths (accept, claim, settle, log) use it with
 * prepared statements and binary parameters; management code uses TypeORM repositories. One pool serves both.
 */
@Injectable()
export class Database implements Queryable {
  constructor(readonly dataSource: DataSource) {}

  async query<R = Record<string, unknown>>(query: string | PreparedQuery, values?: unknown[]): Promise<QueryResult<R>> {
    const result = await (typeof query === 'string' ? this.pool().query(query, values) : run(this.pool(), query));
    return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 };
  }

  /** Runs `work` in one transaction; an error rolls back and is thrown on. The connection is dropped if it is broken. */
  async transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    const client = await this.pool().connect();
    let broken: Error | undefined;
    // A connection that is cut between two statements has nobody else to tell; unheard, that ends the process.
    const cut = (error: Error) => {
      broken = error;
    };
    client.on('error', cut);
    try {
      await client.query('BEGIN');
      const result = await work(asQueryable(client));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.off('error', cut);
      client.release(broken);
    }
  }

  /** A connection of its own, for LISTEN and session locks. Give it back with `release()`. */
  async session(): Promise<Queryable & { client: pg.PoolClient; release(): void }> {
    const client = await this.pool().connect();
    client.on('error', () => undefined);
    return { ...asQueryable(client), client, release: () => client.release(true) };
  }

  private pool(): pg.Pool {
    return (this.dataSource.driver as unknown as { master: pg.Pool }).master;
  }
}

/** The driver's pool and its connections, as they take a query object. */
interface Runner {
  query(query: pg.Query, done: (error: Error | null, result: pg.QueryResult) => void): void;
}

/**
 * As a query object: the driver copies what else it is given by property descriptors, which makes a hidden class for each
 * statement and costs more than all the rest of handing it over.
 */
async function run(runner: pg.Pool | pg.PoolClient, { name, text, values }: PreparedQuery): Promise<pg.QueryResult> {
  const query = Object.assign(new pg.Query(text, values), { name });
  const asked = new Promise<pg.QueryResult>((resolve, reject) => {
    (runner as Runner).query(query, (error, result) => (error ? reject(error) : resolve(result)));
  });
  return asked.catch((error: Error) => {
    // Else it leads to the socket that brought the error, not to who asked.
    Error.captureStackTrace(error);
    throw error;
  });
}

function asQueryable(client: pg.PoolClient): Queryable {
  return {
    async query<R>(query: string | PreparedQuery, values?: unknown[]): Promise<QueryResult<R>> {
      const result = await (typeof query === 'string' ? client.query(query, values) : run(client, query));
      return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 };
    },
  };
}
