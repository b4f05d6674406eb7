import { oneOf, text, url } from './setting-parsers.js';

/** Settings of the stores of contents, see `Config`. */
export const CONTENT_SETTINGS = {
  CONTENT_STORE: { parse: oneOf('postgres', 'files', 's3'), fallback: 'postgres' },
  CONTENT_DIR: { parse: text as (value: string) => string | undefined },
  CONTENT_S3_ENDPOINT: { parse: url('http', 'https') as (value: string) => string | undefined },
  CONTENT_S3_REGION: { parse: text, fallback: 'us-east-1' },
  CONTENT_S3_BUCKET: { parse: text as (value: string) => string | undefined },
  CONTENT_S3_PREFIX: { parse: text, fallback: '' },
  CONTENT_S3_ACCESS_KEY_ID: { parse: text as (value: string) => string | undefined },
  CONTENT_S3_SECRET_ACCESS_KEY: { parse: text as (value: string) => string | undefined, secret: true },
} as const;
