import { randomBytes } from 'node:crypto';
import type { KeyAlgorithm } from './key-algorithm.js';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 8;

/**
 * The name of an entry in DNS, chosen once for good: two accounts that claim one domain publish at different names, so
 * whose key stands in DNS is proof of who owns it (D-44).
 */
export function newSelector(): string {
  return `pl${[...randomBytes(LENGTH)].map((byte) => BASE32[byte % BASE32.length]).join('')}`;
}

/** The two places of an entry, between which its keys take turns: aliases to both have to be set once only. */
export const PLACES = [1, 2] as const;
export type Place = (typeof PLACES)[number];

/** Where a key of an entry stands. All names that new entries get are of one length, so none of these is another's. */
export function selectorAt(base: string, place: Place, algorithm: KeyAlgorithm): string {
  return `${base}${place === 1 ? '' : place}${algorithm === 'rsa' ? '' : 'e'}`;
}

/** Where the service's own zone has the key, for owners of domains who set an alias (CNAME) to it. */
export const aliasTarget = (domainId: string, selector: string, serviceDomain: string): string =>
  `${selector}.${domainId.replace(/^dom_/, '')}.dkim.${serviceDomain}`;
