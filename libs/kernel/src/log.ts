import { pino, stdSerializers, type Logger, type SerializedError } from 'pino';
import type { Config } from './config.js';
import { readableStack } from './readable-stack.js';

/**
 * One event, one line, with fields. Injected as a class; a pino logger stands behind it.
 * Fields are an allow-list by habit: ids, counts, codes. Bodies, keys and secrets are never passed in, and the common
 * names of secrets are redacted all the same.
 */
export class Log {
  constructor(private readonly lines: Logger) {}

  static create(config: Config): Log {
    const { LOG_LEVEL, LOG_FORMAT } = config.settings;
    return new Log(
      pino({
        level: LOG_LEVEL,
        base: { program: config.program },
        timestamp: pino.stdTimeFunctions.isoTime,
        serializers: { err: toldError },
        redact: ['authorization', 'password', 'secret', 'token', 'api_key', 'headers.authorization'],
        ...(LOG_FORMAT === 'pretty'
          ? {
              transport: {
                target: 'pino-pretty',
                options: { ignore: 'pid,hostname,program', singleLine: true, translateTime: 'SYS:HH:MM:ss' },
              },
            }
          : {}),
      }),
    );
  }

  /** For tests: says nothing below `error`. */
  static quiet(): Log {
    return new Log(pino({ level: 'error' }));
  }

  with(fields: object): Log {
    return new Log(this.lines.child(fields));
  }
  debug(event: string, fields: object = {}): void {
    this.lines.debug(fields, event);
  }
  info(event: string, fields: object = {}): void {
    this.lines.info(fields, event);
  }
  warn(event: string, fields: object = {}): void {
    this.lines.warn(fields, event);
  }
  /** `error` keeps its stack in the log; it never reaches a client. */
  error(event: string, error: unknown, fields: object = {}): void {
    this.lines.error({ ...fields, err: error }, event);
  }
}

function toldError(error: Error): SerializedError {
  const told = stdSerializers.err(error);
  // What is thrown need not be an error.
  if (error instanceof Error) told.stack = readableStack(told.stack);
  return told;
}
