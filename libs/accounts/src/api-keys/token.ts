import type { Mode } from '#libs/contracts';
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = ALPHABET.length;
/** Bytes from here on are discarded: 256 is not a multiple of 62, and a plain remainder would favour eight characters. */
const BYTE_LIMIT = 256 - (256 % BASE);
/** 32 characters of base62 are 190 bits. */
const BODY_LENGTH = 32;
/** 62^6 is more than 2^32. */
const CHECKSUM_LENGTH = 6;
const FORMAT = new RegExp(`^pl_(?:live|test)_[0-9A-Za-z]{${BODY_LENGTH + CHECKSUM_LENGTH}}$`);

/** Longer texts are not tokens. Limits the cost of hashing hostile input. */
export const MAX_TOKEN_LENGTH = 200;

/** A new API key: `pl_live_` or `pl_test_` and 38 characters of base62. */
export function newApiKeyToken(mode: Mode): string {
  const secret = `pl_${mode}_${randomBase62(BODY_LENGTH)}`;
  return secret + checksum(secret);
}

/**
 * `bad_checksum` is a typing mistake or a guess, which is rejected without a query. `foreign` tokens, such as a bootstrap
 * key chosen by the operator, have no checksum.
 */
export function tokenFormat(token: string): 'valid' | 'bad_checksum' | 'foreign' {
  if (!FORMAT.test(token)) return 'foreign';
  const secret = token.slice(0, -CHECKSUM_LENGTH);
  return token.endsWith(checksum(secret)) ? 'valid' : 'bad_checksum';
}

function checksum(secret: string): string {
  let rest = crc32(secret);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET[rest % BASE] + text;
    rest = Math.floor(rest / BASE);
  }
  return text;
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < BYTE_LIMIT && text.length < length) text += ALPHABET[byte % BASE];
    }
  }
  return text;
}
