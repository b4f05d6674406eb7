import { keysIn, type KeyRing } from './key-ring.js';
import { aliasTarget, KEY_ALGORITHMS, SELECTOR_VARIANTS, selectorFor } from './selector.js';

/** Timestamps are ISO 8601 UTC. */
export interface RotationView {
  /** `pending`: the next record is to be published. `verified`: it was found once. `switched`: the new keys sign. */
  status: 'pending' | 'verified' | 'switched';
  started_at: string;
  verified_at: string | null;
  switched_at: string | null;
  /** The time until which the records of the replaced keys must be kept. */
  keep_old_until: string | null;
}

export interface DkimView {
  /** The time since which the present keys sign; null: the entry has no keys. */
  signing_since: string | null;
  /** The current rotation; null: none. */
  rotation: RotationView | null;
  /** Aliases to set once instead of the TXT records, so that keys rotate without the owner. */
  cnames: { name: string; value: string }[];
}

interface KeyedDomain {
  id: string;
  name: string;
  selector: string;
  keys: KeyRing;
}

export function toDkimView({ id, name, selector, keys }: KeyedDomain, serviceDomain: string): DkimView {
  const active = keysIn(keys, 'active').at(0);
  const selectors = KEY_ALGORITHMS.flatMap((algorithm) =>
    SELECTOR_VARIANTS.map((variant) => selectorFor(selector, variant, algorithm)),
  );
  return {
    signing_since: iso(active?.switchedAt ?? active?.createdAt ?? null),
    rotation: toRotationView(keys),
    cnames: selectors.map((each) => ({
      name: `${each}._domainkey.${name}`,
      value: aliasTarget(id, each, serviceDomain),
    })),
  };
}

function toRotationView(keys: KeyRing): RotationView | null {
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

/** In JSON, PostgreSQL writes times with an offset and microseconds. */
const iso = (time: string | null): string | null => time && new Date(time).toISOString();
