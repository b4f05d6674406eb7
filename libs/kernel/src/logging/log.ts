import { pino, stdSerializers, type Logger, type SerializedError } from 'pino';
import { Refusal } from '#libs/contracts';
import type { Config } from '../config/config.js';
import { sourceMappedStack } from './source-mapped-stack.js';

/**
 * Writes one line with structured fields per event. Fields are ids, counts and codes, never bodies, keys or secrets; the
 * usual names of secrets are redacted in addition.
 */
export class Log {
  constructor(private readonly logger: Logger) {}

  static create(config: Config): Log {
    const { LOG_LEVEL, LOG_FORMAT } = config.settings;
    return new Log(
      pino({
        level: LOG_LEVEL,
        base: { program: config.program },
        timestamp: pino.stdTimeFunctions.isoTime,
        serializers: { err: serializeError },
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

  /** For tests: logs errors only. */
  static quiet(): Log {
    return new Log(pino({ level: 'error' }));
  }

  with(fields: object): Log {
    return new Log(this.logger.child(fields));
  }
  debug(event: string, fields: object = {}): void {
    this.logger.debug(fields, event);
  }
  info(event: string, fields: object = {}): void {
    this.logger.info(fields, event);
  }
  warn(event: string, fields: object = {}): void {
    this.logger.warn(fields, event);
  }
  /**
   * Logs the stack of `error`, which must not reach a client. A refusal is an expected outcome of a rule: it is a warning with
   * its reason, wherever it ends up.
   */
  error(event: string, error: unknown, fields: object = {}): void {
    if (error instanceof Refusal && error.code !== 'internal_server_error')
      return this.warn(event, { ...fields, code: error.code, reason: error.message });
    this.logger.error({ ...fields, err: error }, event);
  }
}

function serializeError(error: Error): SerializedError {
  const serialized = stdSerializers.err(error);
  // Values that are not errors can be thrown too.
  if (error instanceof Error) serialized.stack = sourceMappedStack(serialized.stack);
  return serialized;
}
