import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '#libs/kernel';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';

const ATTEMPTS = 5;
const PAUSE_MS = 500;
/** PostgreSQL, appendix A: the server is starting or stopping. */
const CANNOT_CONNECT_NOW = '57P03';

/**
 * Connects a program that starts: a server that does not answer yet is asked again, with a line in our log for each time.
 * @throws what the server said when it said no, at once; else what kept the last attempt from it
 */
export async function firstConnection(options: DataSourceOptions, log: Log): Promise<DataSource> {
  for (let attempt = 1; ; attempt++)
    try {
      return await new DataSource(options).initialize();
    } catch (error) {
      if (attempt === ATTEMPTS || isRefusal(error)) throw error;
      log.warn('no connection to the database yet', { reason: (error as Error).message });
      await sleep(PAUSE_MS);
    }
}

const isRefusal = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code !== CANNOT_CONNECT_NOW;
