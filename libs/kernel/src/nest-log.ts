import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';

/**
 * What the framework has to say, as lines of the program's own log: warnings and errors. Its reports of progress are
 * dropped: which modules and routes there are, no operator asks.
 */
export class NestLog implements LoggerService {
  constructor(private readonly lines: Log) {}

  log(): void {}
  debug(): void {}
  verbose(): void {}

  /** The framework gives the name of its part as the last of the others. */
  warn(message: unknown, ...others: unknown[]): void {
    this.lines.warn(textOf(message), { context: others.at(-1) });
  }

  /** Either an error, or a sentence and perhaps a stack. */
  error(message: unknown, ...others: unknown[]): void {
    const stack = others.length > 1 ? others[0] : undefined;
    const error = message instanceof Error ? message : undefined;
    this.lines.error(textOf(message), error ?? stack, { context: others.at(-1) });
  }

  fatal(message: unknown, ...others: unknown[]): void {
    this.error(message, ...others);
  }
}

function textOf(message: unknown): string {
  if (message instanceof Error) return message.message;
  return typeof message === 'string' ? message : JSON.stringify(message);
}
