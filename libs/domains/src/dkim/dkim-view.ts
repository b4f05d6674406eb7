import type { DkimView, RotationView } from '../domain.resource.js';
import { keysIn, type KeyRing } from './key-ring.js';
import { aliasTarget, KEY_ALGORITHMS, SELECTOR_VARIANTS, selectorFor } from './selector.js';

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
