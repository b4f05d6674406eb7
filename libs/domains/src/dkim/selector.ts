import { randomBytes } from 'node:crypto';

export const KEY_ALGORITHMS = ['rsa', 'ed25519'] as const;
export type KeyAlgorithm = (typeof KEY_ALGORITHMS)[number];

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 8;

/**
 * A random base for the selectors of an entry, which never changes. Accounts that claim the same domain publish at different
 * names, so the key that is found proves which of them owns it (docs/decisions/021).
 */
export function newSelector(): string {
  return `pl${[...randomBytes(LENGTH)].map((byte) => BASE32[byte % BASE32.length]).join('')}`;
}

/** The keys of an entry alternate between two selectors, so that aliases for both have to be set only once. */
export const SELECTOR_VARIANTS = [1, 2] as const;
export type SelectorVariant = (typeof SELECTOR_VARIANTS)[number];

/** The selector of a key. All bases have the same length, so selectors of different entries never coincide. */
export function selectorFor(base: string, variant: SelectorVariant, algorithm: KeyAlgorithm): string {
  return `${base}${variant === 1 ? '' : variant}${algorithm === 'rsa' ? '' : 'e'}`;
}

/** The name of the key in the service's own zone, for owners who set an alias (CNAME) to it. */
export const aliasTarget = (domainId: string, selector: string, serviceDomain: string): string =>
  `${selector}.${domainId.replace(/^dom_/, '')}.dkim.${serviceDomain}`;
