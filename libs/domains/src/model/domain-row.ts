import { newId } from '#libs/contracts';
import type { SecretBox } from '#libs/kernel';
import type { Queryable } from '#libs/persistence';
import type { KeyPool } from '../dkim/key-pool.js';
import type { KeyRing } from '../dkim/key-ring.js';
import { KEYS_COLUMN } from '../dkim/key-rows.js';
import { newKeys, type NewKey } from '../dkim/new-keys.js';
import { newSelector } from '../dkim/selector.js';
import type { DomainEntity } from './domain.entity.js';

/** A row of `domains` with its keys, without their private halves. */
export type DomainRow = Omit<DomainEntity, 'dueAt'> & { keys: KeyRing };

/** The columns of a `DomainRow`, for `SELECT` and `RETURNING`. */
export const DOMAIN_COLUMNS = `id, account_id AS "accountId", name, status, vouched, selector,
  open_tracking AS "openTracking", click_tracking AS "clickTracking",
  tracking_privacy AS "trackingPrivacy", tracking_exclude AS "trackingExclude", tls, envelope,
  body_retention_days AS "bodyRetentionDays", captured_retention_days AS "capturedRetentionDays", findings, checked_at AS "checkedAt",
  verified_at AS "verifiedAt", warning_since AS "warningSince", created_at AS "createdAt", ${KEYS_COLUMN.trim()}`;

export type NewDomain = Pick<DomainEntity, 'id' | 'accountId' | 'name' | 'selector'> & { keys: NewKey[] };

export async function newDomain(
  { accountId, name }: { accountId: string; name: string },
  keyPool: KeyPool,
  secretBox: SecretBox,
): Promise<NewDomain> {
  const id = newId('dom');
  return { id, accountId, name, selector: newSelector(), keys: await newKeys(id, keyPool, secretBox) };
}

/** Further writes in the transaction that adds or removes a domain. */
export type DomainTransactionHook = (
  tx: Queryable,
  domain: Pick<DomainEntity, 'accountId' | 'id' | 'name'>,
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
