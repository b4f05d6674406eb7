import { KEY_ALGORITHMS } from './key-algorithm.js';
import { keysIn, type KeyRing } from './key-ring.js';
import { aliasTarget, PLACES, selectorAt } from './selector.js';

/** Timestamps are ISO 8601 UTC. */
export interface RotationView {
  /** `pending`: the next record is to be published. `verified`: it was seen once. `switched`: the new keys sign. */
  status: 'pending' | 'verified' | 'switched';
  started_at: string;
  verified_at: string | null;
  switched_at: string | null;
  /** Until when the records of the replaced keys must stay. */
  keep_old_until: string | null;
}

/** How the mail of a domain is signed. */
export interface DkimView {
  /** Since when the present keys sign; null: the entry has none. */
  signing_since: string | null;
  /** What is under way; null: nothing. */
  rotation: RotationView | null;
  /** The aliases that make rotations follow without the owner's help, set once instead of the TXT records. */
  cnames: { name: string; value: string }[];
}

interface KeyedDomain {
  id: string;
  name: string;
  selector: string;
  keys: KeyRing;
}

export function presentDkim({ id, name, selector, keys }: KeyedDomain, serviceDomain: string): DkimView {
  const active = keysIn(keys, 'active').at(0);
  const selectors = KEY_ALGORITHMS.flatMap((algorithm) =>
    PLACES.map((place) => selectorAt(selector, place, algorithm)),
  );
  return {
    signing_since: iso(active?.switchedAt ?? active?.createdAt ?? null),
    rotation: presentRotation(keys),
    cnames: selectors.map((each) => ({
      name: `${each}._domainkey.${name}`,
      value: aliasTarget(id, each, serviceDomain),
    })),
  };
}

function presentRotation(keys: KeyRing): RotationView | null {
  const [next, active, retired] = (['next', 'active', 'retired'] as const).map((state) => keysIn(keys, state).at(0));
  const key = next ?? (retired && active);
  if (key === undefined) return null;
  const waiting = key.verifiedAt === null ? 'pending' : 'verified';
  return {
    status: next ? waiting : 'switched',
    started_at: new Date(key.createdAt).toISOString(),
    verified_at: iso(key.verifiedAt),
    switched_at: iso(key.switchedAt),
    keep_old_until: iso(retired?.retireAt ?? null),
  };
}

/** PostgreSQL writes times of JSON with an offset and microseconds. */
const iso = (time: string | null): string | null => time && new Date(time).toISOString();
