import { LIMITS } from '#libs/contracts';
import type { FastifyContextConfig } from 'fastify';
import { declareRoute } from './route-access.js';
import type { StructureLimits } from './structure-scan.js';

/** What the body of a route may be (D-19, promises S-35). */
export interface BodyLimits {
  type: 'application/json' | 'text/csv';
  bytes: number;
  /** Says what is too large, where it is no mail. */
  tooLarge?: string;
  structure: StructureLimits;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    body?: 'batch' | 'csv';
  }
}

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
  structure: { depth: DEPTH, perElement: PER_MAIL, inAll: 6 * PER_MAIL },
};
const CSV: BodyLimits = {
  ...ONE_MAIL,
  type: 'text/csv',
  bytes: LIMITS.importBytes,
  tooLarge: `The file is larger than ${LIMITS.importBytes / (1024 * 1024)} MiB.`,
};
const LIMITS_OF = { batch: BATCH, csv: CSV };

/** The body of this route is an array of up to a hundred mails; without this it may be as large as one. */
export const BatchBody = () => declareRoute({ body: 'batch' });

/** The body of this route is a CSV file, which reaches its handler as bytes; nothing else is taken. */
export const CsvBody = () => declareRoute({ body: 'csv' });

export const bodyLimitsOf = (config: FastifyContextConfig | undefined): BodyLimits =>
  config?.body === undefined ? ONE_MAIL : LIMITS_OF[config.body];
