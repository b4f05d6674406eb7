import { randomBytes } from 'node:crypto';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 8;

/**
 * A DKIM selector of its own for every domain entry: two accounts that claim one domain publish at different names, so
 * whose key stands in DNS is proof of who owns it (D-44).
 */
export function newSelector(): string {
  return `pl${[...randomBytes(LENGTH)].map((byte) => BASE32[byte % BASE32.length]).join('')}`;
}

/** Where the second key of the same entry stands. */
export const ed25519Selector = (selector: string): string => `${selector}e`;
