import type { Mode } from '#libs/contracts';
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = ALPHABET.length;
/** Bytes from here on are thrown away: 256 is no multiple of 62, and a plain remainder would favour eight characters. */
const FAIR_LIMIT = 256 - (256 % BASE);
/** 32 characters of base62 are 190 bits. */
const BODY_LENGTH = 32;
/** 62^6 is more than 2^32. */
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^pl_(?:live|test)_[0-9A-Za-z]{${BODY_LENGTH + CHECKSUM_LENGTH}}$`);

/** Longer tokens are no keys of ours; the bound also limits what hashing a hostile one costs. */
export const MAX_TOKEN_LENGTH = 200;

/** A new API key, for example `pl_live_` and 38 characters of base62. */
export function newApiKeyToken(mode: Mode): string {
  const secret = `pl_${mode}_${randomBase62(BODY_LENGTH)}`;
  return secret + checksum(secret);
}

/**
 * `sound` and `broken` tokens have the form of ours, and a broken one is a typing mistake or a guess: it is refused
 * without a question to the database. `foreign` tokens (an operator's own bootstrap key) carry no checksum.
 */
export function examineToken(token: string): 'sound' | 'broken' | 'foreign' {
  if (!FORM.test(token)) return 'foreign';
  const secret = token.slice(0, -CHECKSUM_LENGTH);
  return token.endsWith(checksum(secret)) ? 'sound' : 'broken';
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
      if (byte < FAIR_LIMIT && text.length < length) text += ALPHABET[byte % BASE];
    }
  }
  return text;
}
