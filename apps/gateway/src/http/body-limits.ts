import { LIMITS, Refusal } from '#libs/contracts';
import type { FastifyContextConfig } from 'fastify';
import { declareRoute } from './route-access.js';
import type { StructureLimits } from './structure-scan.js';

/** What the body of a route may be (D-19, promises S-35). */
export interface BodyLimits {
  /** `any`: whatever it says it is, it is read and forgotten. */
  type: 'application/json' | 'text/csv' | 'any';
  bytes: number;
  /** Says what is too large, where it is no mail. */
  tooLarge?: string;
  structure: StructureLimits;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    body?: 'batch' | 'csv' | 'any';
  }
}

const MIB = 1024 * 1024;
const DEPTH = 32;
const PER_MAIL = 20_000;
const ONE_MAIL: BodyLimits = {
  type: 'application/json',
  bytes: LIMITS.requestBytes,
  structure: { depth: DEPTH, perElement: PER_MAIL, inAll: PER_MAIL },
};
const BATCH: BodyLimits = {
  ...ONE_MAIL,
  bytes: LIMITS.batchBytes,
  tooLarge: `The batch is larger than ${LIMITS.batchBytes / MIB} MiB.`,
  structure: { depth: DEPTH, perElement: PER_MAIL, inAll: 6 * PER_MAIL },
};
const CSV: BodyLimits = {
  ...ONE_MAIL,
  type: 'text/csv',
  bytes: LIMITS.importBytes,
  tooLarge: `The file is larger than ${LIMITS.importBytes / MIB} MiB.`,
};
const ANY: BodyLimits = { ...ONE_MAIL, type: 'any', bytes: 64 * 1024, tooLarge: 'The body is larger than 64 KiB.' };
const LIMITS_OF = { batch: BATCH, csv: CSV, any: ANY };

/** The body of this route is an array of up to a hundred mails; without this it may be as large as one. */
export const BatchBody = () => declareRoute({ body: 'batch' });

/** The body of this route is a CSV file, which reaches its handler as bytes; nothing else is taken. */
export const CsvBody = () => declareRoute({ body: 'csv' });

/** This route does not look at its body, nor at the type that the body says it has. */
export const AnyBody = () => declareRoute({ body: 'any' });

export const bodyLimitsOf = (config: FastifyContextConfig | undefined): BodyLimits =>
  config?.body === undefined ? ONE_MAIL : LIMITS_OF[config.body];

/** Of one mail the same refusal that its counted size would get (D-19): what the client may send is what it is told. */
export function bodyTooLarge({ bytes, tooLarge }: Pick<BodyLimits, 'bytes' | 'tooLarge'>): Refusal {
  const most = tooLarge === undefined ? LIMITS.messageBytes : bytes;
  const detail = { field: '', code: 'too_large', message: `must have at most ${most} bytes in all` };
  return new Refusal('message_too_large', [detail], tooLarge);
}
