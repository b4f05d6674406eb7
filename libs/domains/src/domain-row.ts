import type { KeyRing } from './dkim/key-ring.js';
import { KEYS_COLUMN } from './dkim/key-rows.js';
import type { DomainEntity } from './domain.entity.js';

/** A row of `domains` with its keys, but not their private halves. */
export type DomainRow = Omit<DomainEntity, 'dueAt'> & { keys: KeyRing };

/** The columns of a `DomainRow`, for `SELECT` and `RETURNING`. */
export const DOMAIN_COLUMNS = `id, account_id AS "accountId", name, status, vouched, selector,
  open_tracking AS "openTracking", click_tracking AS "clickTracking", tls, findings, checked_at AS "checkedAt",
  verified_at AS "verifiedAt", warning_since AS "warningSince", created_at AS "createdAt", ${KEYS_COLUMN.trim()}`;
