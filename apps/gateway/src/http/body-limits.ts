import { LIMITS } from '#libs/contracts';
import type { FastifyContextConfig } from 'fastify';
import { declareRoute } from './route-access.js';
import type { StructureLimits } from './structure-scan.js';

/** What the body of a route may be (D-19, promises S-35). */
export interface BodyLimits {
  bytes: number;
  structure: StructureLimits;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    body?: 'batch';
  }
}

const DEPTH = 32;
const PER_MAIL = 20_000;
const ONE_MAIL: BodyLimits = {
  bytes: LIMITS.requestBytes,
  structure: { depth: DEPTH, perElement: PER_MAIL, inAll: PER_MAIL },
};
const BATCH: BodyLimits = {
  bytes: LIMITS.batchBytes,
  structure: { depth: DEPTH, perElement: PER_MAIL, inAll: 6 * PER_MAIL },
};

/** The body of this route is an array of up to a hundred mails; without this it may be as large as one. */
export const BatchBody = () => declareRoute({ body: 'batch' });

export const bodyLimitsOf = (config: FastifyContextConfig | undefined): BodyLimits =>
  config?.body === 'batch' ? BATCH : ONE_MAIL;
