import type { Queryable } from '#libs/persistence';
import type { KeyRing, KeyState, SigningKey } from './key-ring.js';
import type { NewKey } from './new-keys.js';
import { selectorFor, type SelectorVariant } from './selector.js';

/**
 * The keys of a row of `domains` without their private halves, for `SELECT` and `RETURNING`. Keys are changed under the lock
 * of that row only, and read after it was taken.
 */
export const KEYS_COLUMN = `
  (SELECT coalesce(json_agg(json_build_object(
            'id', k.id, 'algorithm', k.algorithm, 'selector', k.selector, 'publicKey', k.public_key, 'state', k.state,
            'createdAt', k.created_at, 'verifiedAt', k.verified_at, 'switchedAt', k.switched_at,
            'retireAt', k.retire_at) ORDER BY k.algorithm DESC), '[]')
     FROM domain_keys k WHERE k.domain_id = domains.id) AS keys`;

const INSERT = `
  INSERT INTO domain_keys (domain_id, id, algorithm, selector, public_key, private_sealed, state)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;

const CHANGE = `
  UPDATE domain_keys SET state = $3, verified_at = $4, switched_at = $5, retire_at = $6 WHERE domain_id = $1 AND id = $2`;

/** In this order two keys of one algorithm never have the same state, which a unique index forbids. */
const STORED_FIRST: readonly KeyState[] = ['retired', 'active', 'next'];

/** The domain, selectors and state of new keys. */
export interface NewKeyTarget {
  id: string;
  /** The base of the selectors of the entry. */
  selector: string;
  variant: SelectorVariant;
  state: KeyState;
}

export async function insertKeys(tx: Queryable, at: NewKeyTarget, keys: readonly NewKey[]): Promise<void> {
  for (const { id, algorithm, publicKey, privateSealed } of keys) {
    const selector = selectorFor(at.selector, at.variant, algorithm);
    await tx.query(INSERT, [at.id, id, algorithm, selector, publicKey, privateSealed, at.state]);
  }
}

/** Updates the rows to the ring. A key that is not in it any more is destroyed. */
export async function storeKeyRing(
  tx: Queryable,
  { id, keys }: { id: string; keys: KeyRing },
  ring: KeyRing,
): Promise<void> {
  const gone = keys.filter((key) => !ring.some((other) => other.id === key.id)).map((key) => key.id);
  if (gone.length > 0) await tx.query('DELETE FROM domain_keys WHERE domain_id = $1 AND id = ANY($2)', [id, gone]);
  const changed = ring.filter((key) => !keys.includes(key));
  for (const key of changed.toSorted(storedFirst))
    await tx.query(CHANGE, [id, key.id, key.state, key.verifiedAt, key.switchedAt, key.retireAt]);
}

const storedFirst = (a: SigningKey, b: SigningKey): number =>
  STORED_FIRST.indexOf(a.state) - STORED_FIRST.indexOf(b.state);
