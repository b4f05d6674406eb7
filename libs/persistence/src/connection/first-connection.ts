import { backoffMs, sleep, type Log } from '#libs/kernel';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { isUnavailable } from './database.js';

const ATTEMPTS = 5;
const PAUSE_MS = 500;
/** cannot_connect_now (PostgreSQL, appendix A): the server is starting or stopping. */
const CANNOT_CONNECT_NOW = '57P03';

/**
 * Connects a starting program. A server that does not answer yet is retried, with one log line per attempt.
 * @throws the server's error immediately when it rejects the connection; otherwise the error of the last attempt
 */
export async function firstConnection(options: DataSourceOptions, log: Log): Promise<DataSource> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await new DataSource(options).initialize();
    } catch (error) {
      if (attempt === ATTEMPTS || isRejection(error)) throw error;
      log.warn('no connection to the database yet', { reason: (error as Error).message });
      await sleep(PAUSE_MS);
    }
  }
}

const isRejection = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code !== CANNOT_CONNECT_NOW;

/**
 * Runs a step of a start after the first connection: a server that is slow or away for a while delays the start, and never
 * ends it. Each attempt is logged. `work` must tolerate being repeated.
 * @throws errors of `work` that another attempt would not change
 */
export async function untilAvailable<T>(step: string, log: Log, work: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      log.warn('waiting for the database', { step, reason: (error as Error).message });
      await sleep(backoffMs(failures));
    }
  }
}
