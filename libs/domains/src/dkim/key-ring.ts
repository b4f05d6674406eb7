import type { KeyAlgorithm } from './key-algorithm.js';
import { PLACES, selectorAt, type Place } from './selector.js';

/** `next` is to be published, `active` signs, `retired` is kept in DNS for mail that it signed. */
export type KeyState = 'next' | 'active' | 'retired';

/** A DKIM key without its private half. Times are ISO 8601. */
export interface SigningKey {
  id: string;
  algorithm: KeyAlgorithm;
  selector: string;
  /** As it stands behind `p=`. */
  publicKey: string;
  state: KeyState;
  createdAt: string;
  /** Since when DNS has proved, without a break, that the record stands. Not kept up to date once the key signs. */
  verifiedAt: string | null;
  /** When it began to sign. */
  switchedAt: string | null;
  /** When it is destroyed. */
  retireAt: string | null;
}

/**
 * The keys of a domain. Invariants: an RSA and an Ed25519 key are active, always; both change together; no switch
 * without two proofs of DNS, an interval apart; what signed stays in DNS for `KEEP_RETIRED_MS` more.
 */
export type KeyRing = readonly SigningKey[];

/** What one look at DNS says of the next keys. `open`: nothing, because DNS did not answer. */
export type Proof = 'proved' | 'refuted' | 'open';

/** Mail is tried for 72 hours, and receivers may look at it days after (M-13). Never less, whatever the settings. */
export const KEEP_RETIRED_MS = 7 * 86_400_000;

export const keysIn = (ring: KeyRing, state: KeyState): SigningKey[] => ring.filter((key) => key.state === state);

/** Why no rotation can begin now; null: it can. */
export function obstacleTo(ring: KeyRing): 'pending' | 'retiring' | null {
  if (keysIn(ring, 'next').length > 0) return 'pending';
  return keysIn(ring, 'retired').length > 0 ? 'retiring' : null;
}

/** The one of an entry's two places that no key has. */
export function freePlace(ring: KeyRing, base: string): Place {
  const taken = new Set(ring.map(({ selector }) => selector));
  const free = PLACES.find((place) => !taken.has(selectorAt(base, place, 'rsa')));
  if (free === undefined) throw new Error('both places of the entry are taken');
  return free;
}

/** The ring after one look at DNS. `change` is what the owner is told of. */
export function turn(
  ring: KeyRing,
  proof: Proof,
  { now, intervalMs }: { now: Date; intervalMs: number },
): { ring: KeyRing; change: 'switched' | 'retired' | null } {
  const kept = ring.filter(({ retireAt }) => retireAt === null || Date.parse(retireAt) > now.getTime());
  const change = kept.length < ring.length ? 'retired' : null;
  const since = keysIn(kept, 'next').at(0)?.verifiedAt;
  if (since === undefined || proof === 'open') return { ring: kept, change };
  if (proof === 'refuted') return { ring: provedSince(kept, null), change };
  if (since === null) return { ring: provedSince(kept, now.toISOString()), change };
  // A resolver that asked before the record stood may go on denying it for a while (RFC 2308).
  if (now.getTime() - Date.parse(since) < intervalMs) return { ring: kept, change };
  return { ring: switched(kept, now), change: 'switched' };
}

/** The next keys sign from now on. */
export function switched(ring: KeyRing, now: Date): KeyRing {
  return ring.map((key): SigningKey => {
    if (key.state === 'next') return { ...key, state: 'active', switchedAt: now.toISOString() };
    if (key.state !== 'active') return key;
    return { ...key, state: 'retired', retireAt: new Date(now.getTime() + KEEP_RETIRED_MS).toISOString() };
  });
}

const provedSince = (ring: KeyRing, verifiedAt: string | null): KeyRing =>
  ring.map((key) => (key.state === 'next' && key.verifiedAt !== verifiedAt ? { ...key, verifiedAt } : key));
