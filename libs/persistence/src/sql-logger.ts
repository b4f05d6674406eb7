import type { Log } from '#libs/kernel';
import type { Logger } from 'typeorm';

const SHOWN = 200;

/** TypeORM's own logger prints whole statements with parameters, which are mail bodies and secrets. This one cuts both. */
export class SqlLogger implements Logger {
  constructor(private readonly logger: Log) {}

  logQuery(): void {}
  logQueryError(error: string | Error, query: string): void {
    this.logger.warn('statement failed', {
      sql: query.slice(0, SHOWN),
      reason: error instanceof Error ? error.message : error,
    });
  }
  logQuerySlow(time: number, query: string): void {
    this.logger.warn('slow statement', { sql: query.slice(0, SHOWN), ms: time });
  }
  logSchemaBuild(): void {}
  logMigration(message: string): void {
    this.logger.debug('migration', { message });
  }
  log(level: 'log' | 'info' | 'warn', message: unknown): void {
    if (level === 'warn') this.logger.warn('typeorm', { message: String(message) });
  }
}
