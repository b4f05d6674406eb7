import { Injectable } from '@nestjs/common';
import type pg from 'pg';
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
    const result = await (typeof query === 'string' ? this.pool().query(query, values) : this.pool().query(query));
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

function asQueryable(client: pg.PoolClient): Queryable {
  return {
    async query<R>(query: string | PreparedQuery, values?: unknown[]): Promise<QueryResult<R>> {
      const result = await (typeof query === 'string' ? client.query(query, values) : client.query(query));
      return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 };
    },
  };
}
