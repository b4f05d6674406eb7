import type { Log } from '#libs/kernel';
import type { Logger } from 'typeorm';

const SHOWN_CHARACTERS = 200;

/** Logs the beginning of a statement without parameters, which may be message bodies and secrets. */
export class SqlLogger implements Logger {
  constructor(private readonly logger: Log) {}

  logQuery(): void {}
  logQueryError(error: string | Error, query: string): void {
    this.logger.warn('statement failed', {
      sql: query.slice(0, SHOWN_CHARACTERS),
      reason: error instanceof Error ? error.message : error,
    });
  }
  logQuerySlow(time: number, query: string): void {
    this.logger.warn('slow statement', { sql: query.slice(0, SHOWN_CHARACTERS), ms: time });
  }
  logSchemaBuild(): void {}
  logMigration(message: string): void {
    this.logger.debug('migration', { message });
  }
  log(level: 'log' | 'info' | 'warn', message: unknown): void {
    if (level === 'warn') this.logger.warn('typeorm', { message: String(message) });
  }
}
