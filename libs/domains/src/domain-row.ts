import type { DomainEntity } from './domain.entity.js';

/** A row of `domains` without its private keys. */
export type DomainRow = Omit<DomainEntity, 'rsaPrivateSealed' | 'ed25519PrivateSealed' | 'dueAt'>;

/** The columns of a `DomainRow`, for `SELECT` and `RETURNING`. */
export const DOMAIN_COLUMNS = `id, account_id AS "accountId", name, status, vouched, selector,
  rsa_public AS "rsaPublic", ed25519_public AS "ed25519Public", open_tracking AS "openTracking",
  click_tracking AS "clickTracking", tls, findings, checked_at AS "checkedAt", verified_at AS "verifiedAt",
  warning_since AS "warningSince", created_at AS "createdAt"`;
