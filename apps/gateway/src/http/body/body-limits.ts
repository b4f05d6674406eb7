import { LIMITS, Refusal, type RefusalCode } from '#libs/contracts';
import type { FastifyContextConfig } from 'fastify';
import { declareRoute } from '../route-access.js';
import type { JsonLimits } from './json-limits.js';

/** Limits for the body of a route. */
export interface BodyLimits {
  /** `any`: the body is read and ignored, whatever its content type. */
  type: 'application/json' | 'text/csv' | 'any';
  bytes: number;
  /** The message of the refusal, if the body is not an email. */
  tooLarge?: string;
  /** The refusal of a larger body; `message_too_large` unless given. */
  refusal?: RefusalCode;
  json: JsonLimits;
}

export type SizeLimit = Pick<BodyLimits, 'bytes' | 'tooLarge' | 'refusal'>;

declare module 'fastify' {
  interface FastifyContextConfig {
    body?: 'batch' | 'csv' | 'graphql' | 'any' | 'resend' | 'resend-batch';
  }
}

const KIB = 1024;
const MIB = KIB * KIB;
const DEPTH = 32;
const PER_EMAIL = 20_000;
const ONE_EMAIL: BodyLimits = {
  type: 'application/json',
  bytes: LIMITS.requestBytes,
  json: { depth: DEPTH, perElement: PER_EMAIL, inAll: PER_EMAIL },
};
const BATCH = {
  ...ONE_EMAIL,
  bytes: LIMITS.batchBytes,
  tooLarge: `The batch is larger than ${LIMITS.batchBytes / MIB} MiB.`,
  json: { depth: DEPTH, perElement: PER_EMAIL, inAll: 6 * PER_EMAIL },
} satisfies BodyLimits;
const CSV: BodyLimits = {
  ...ONE_EMAIL,
  type: 'text/csv',
  bytes: LIMITS.importBytes,
  tooLarge: `The file is larger than ${LIMITS.importBytes / MIB} MiB.`,
};
const ANY: BodyLimits = { ...ONE_EMAIL, type: 'any', bytes: 64 * KIB, tooLarge: 'The body is larger than 64 KiB.' };
/** Room for two passwords of the largest size. The callers are not authenticated, or may create accounts by themselves. */
const SMALL: BodyLimits = {
  ...ONE_EMAIL,
  bytes: 8 * KIB,
  tooLarge: 'The body is larger than 8 KiB.',
  refusal: 'request_too_large',
};
/** Large enough for a batch, whose emails are in one object; operations of other kinds are limited after parsing. */
const GRAPHQL: BodyLimits = {
  ...BATCH,
  json: { ...BATCH.json, perElement: BATCH.json.inAll },
  tooLarge: `The request is larger than ${LIMITS.batchBytes / MIB} MiB.`,
};
const IN_BASE64 = 'Send the content of attachments in base64, which is shorter than an array of numbers.';
const RESEND: BodyLimits = {
  ...ONE_EMAIL,
  json: { ...ONE_EMAIL.json, byteArrays: true },
  tooLarge: `The request is larger than ${LIMITS.requestBytes / MIB} MiB. ${IN_BASE64}`,
};
const RESEND_BATCH: BodyLimits = {
  ...BATCH,
  json: { ...BATCH.json, byteArrays: true },
  tooLarge: `${BATCH.tooLarge} ${IN_BASE64}`,
};
const LIMITS_OF = {
  batch: BATCH,
  csv: CSV,
  graphql: GRAPHQL,
  any: ANY,
  resend: RESEND,
  'resend-batch': RESEND_BATCH,
};

/** The body of this route is an array of up to 100 emails; without this decorator it is limited to the size of one. */
export const BatchBody = () => declareRoute({ body: 'batch' });

/** The body of this route is an email of a client of Resend, or an array of them. */
export const ResendBody = () => declareRoute({ body: 'resend' });
export const ResendBatchBody = () => declareRoute({ body: 'resend-batch' });

/** The body of this route is a CSV file, passed to the handler as bytes; other content types are refused. */
export const CsvBody = () => declareRoute({ body: 'csv' });

/** This route ignores its body and its content type. */
export const AnyBody = () => declareRoute({ body: 'any' });

/** Without a declaration of the route: the size of one email for callers with a key, a small one for all others. */
export function bodyLimitsOf({ body, access }: FastifyContextConfig = {}): BodyLimits {
  if (body !== undefined) return LIMITS_OF[body];
  return access === 'public' || access === 'session' ? SMALL : ONE_EMAIL;
}

/** For one email the refusal names the size limit of a message, because that is the limit documented for clients. */
export function bodyTooLarge({ bytes, tooLarge, refusal = 'message_too_large' }: SizeLimit): Refusal {
  const most = tooLarge === undefined ? LIMITS.messageBytes : bytes;
  const detail = { field: '', code: 'too_large', message: `must have at most ${most} bytes in all` };
  return new Refusal(refusal, [detail], tooLarge);
}
