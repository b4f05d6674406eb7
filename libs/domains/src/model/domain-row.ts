import { newId } from '#libs/contracts';
import type { SecretBox } from '#libs/kernel';
import type { Queryable } from '#libs/persistence';
import type { KeyPool } from '../dkim/key-pool.js';
import type { KeyRing } from '../dkim/key-ring.js';
import { KEYS_COLUMN } from '../dkim/key-rows.js';
import { newKeys, type NewKey } from '../dkim/new-keys.js';
import { newSelector } from '../dkim/selector.js';
import { domain, type StoredDomain } from '../domain.resource.js';

/** A row of `domains` with its keys, without their private halves. */
export type DomainRow = StoredDomain & { keys: KeyRing };

/** The columns of a `DomainRow`, for `SELECT` and `RETURNING`. */
export const DOMAIN_COLUMNS = `${domain.columns}, ${KEYS_COLUMN.trim()}`;

export type NewDomain = Pick<StoredDomain, 'id' | 'account_id' | 'name' | 'selector'> & { keys: NewKey[] };

export async function newDomain(
  { account_id, name }: Pick<NewDomain, 'account_id' | 'name'>,
  keyPool: KeyPool,
  secretBox: SecretBox,
): Promise<NewDomain> {
  const id = newId('dom');
  return { id, account_id, name, selector: newSelector(), keys: await newKeys(id, keyPool, secretBox) };
}

/** Further writes in the transaction that adds or removes a domain. */
export type DomainTransactionHook = (
  tx: Queryable,
  domain: { id: string; accountId: string; name: string },
) => Promise<void>;

/**
 * Makes all entries that wait for this name due now, because it is not active in any account any more. Across accounts on
 * purpose; no account learns of another by it.
 */
export async function recheckOtherEntries(tx: Queryable, name: string): Promise<void> {
  await tx.query(`UPDATE domains SET due_at = now() WHERE name = $1 AND status <> 'active' AND due_at IS NOT NULL`, [
    name,
  ]);
}
