import { SELECTOR_VARIANTS, selectorFor, type KeyAlgorithm, type SelectorVariant } from './selector.js';

/** A `next` key is to be published, `active` keys sign, `retired` ones are kept in DNS for mail that they signed. */
export type KeyState = 'next' | 'active' | 'retired';

/** A DKIM key without its private half. Timestamps are ISO 8601. */
export interface SigningKey {
  id: string;
  algorithm: KeyAlgorithm;
  selector: string;
  /** The value of `p=`. */
  publicKey: string;
  state: KeyState;
  createdAt: string;
  /** The time since which all checks have found the record. Not updated once the key signs. */
  verifiedAt: string | null;
  /** The time at which it began to sign. */
  switchedAt: string | null;
  /** The time at which it is destroyed. */
  retireAt: string | null;
}

/**
 * The keys of a domain. Invariants: an RSA and an Ed25519 key are always active; both change together; no switch without two
 * confirmations by DNS, an interval apart; replaced keys are kept in DNS for `KEEP_RETIRED_MS` (docs/decisions/021).
 */
export type KeyRing = readonly SigningKey[];

/** The result of a check for the next keys. */
export type NextKeysResult = 'confirmed' | 'missing' | 'unanswered';

/** Mail is retried for 72 hours, and receivers may verify it days later. Not configurable. */
export const KEEP_RETIRED_MS = 7 * 86_400_000;

export const keysIn = (ring: KeyRing, state: KeyState): SigningKey[] => ring.filter((key) => key.state === state);

/** Why no rotation can begin now; null: one can. */
export function rotationObstacle(ring: KeyRing): 'pending' | 'retiring' | null {
  if (keysIn(ring, 'next').length > 0) return 'pending';
  return keysIn(ring, 'retired').length > 0 ? 'retiring' : null;
}

/** The selector variant of an entry that no key uses. */
export function freeVariant(ring: KeyRing, base: string): SelectorVariant {
  const taken = new Set(ring.map(({ selector }) => selector));
  const free = SELECTOR_VARIANTS.find((variant) => !taken.has(selectorFor(base, variant, 'rsa')));
  if (free === undefined) throw new Error('both selectors of the entry are in use');
  return free;
}

/** The ring after a check. `change` is for the event. */
export function advanceKeyRing(
  ring: KeyRing,
  result: NextKeysResult,
  { now, intervalMs }: { now: Date; intervalMs: number },
): { ring: KeyRing; change: 'switched' | 'retired' | null } {
  const kept = ring.filter(({ retireAt }) => retireAt === null || Date.parse(retireAt) > now.getTime());
  const change = kept.length < ring.length ? 'retired' : null;
  const since = keysIn(kept, 'next').at(0)?.verifiedAt;
  if (since === undefined || result === 'unanswered') return { ring: kept, change };
  if (result === 'missing') return { ring: withVerifiedAt(kept, null), change };
  if (since === null) return { ring: withVerifiedAt(kept, now.toISOString()), change };
  // A resolver that queried before the record was published may cache its absence (RFC 2308).
  if (now.getTime() - Date.parse(since) < intervalMs) return { ring: kept, change };
  return { ring: switchToNextKeys(kept, now), change: 'switched' };
}

/** The next keys sign from now on. */
export function switchToNextKeys(ring: KeyRing, now: Date): KeyRing {
  return ring.map((key): SigningKey => {
    if (key.state === 'next') return { ...key, state: 'active', switchedAt: now.toISOString() };
    if (key.state !== 'active') return key;
    return { ...key, state: 'retired', retireAt: new Date(now.getTime() + KEEP_RETIRED_MS).toISOString() };
  });
}

const withVerifiedAt = (ring: KeyRing, verifiedAt: string | null): KeyRing =>
  ring.map((key) => (key.state === 'next' && key.verifiedAt !== verifiedAt ? { ...key, verifiedAt } : key));
