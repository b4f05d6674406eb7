import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';

/** Writes warnings and errors of Nest to the log of the program. Lists of modules and routes are dropped. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(): void {}
  debug(): void {}
  verbose(): void {}

  /** The last of `others` is the name of the component. */
  warn(message: unknown, ...others: unknown[]): void {
    this.target.warn(textOf(message), { context: others.at(-1) });
  }

  /** `message` is an error, or a text that may be followed by a stack. */
  error(message: unknown, ...others: unknown[]): void {
    const stack = others.length > 1 ? others[0] : undefined;
    const error = message instanceof Error ? message : undefined;
    this.target.error(textOf(message), error ?? stack, { context: others.at(-1) });
  }

  fatal(message: unknown, ...others: unknown[]): void {
    this.error(message, ...others);
  }
}

function textOf(message: unknown): string {
  if (message instanceof Error) return message.message;
  return typeof message === 'string' ? message : JSON.stringify(message);
}
