import type { Queryable } from '#libs/persistence';

/** A sending domain of an account. */
export interface ListedDomain {
  accountId: string;
  id: string;
  name: string;
}

const KEEP = `
  INSERT INTO suppression_domains (account_id, name, domain_id)
  SELECT $1, $3, $2 WHERE EXISTS (SELECT 1 FROM suppressions WHERE account_id = $1 AND domain_id = $2)
  ON CONFLICT (account_id, name) DO UPDATE SET domain_id = excluded.domain_id`;

const TAKE_BACK = `
  WITH former AS (DELETE FROM suppression_domains WHERE account_id = $1 AND name = $3 RETURNING domain_id)
  UPDATE suppressions s SET domain_id = $2 FROM former WHERE s.account_id = $1 AND s.domain_id = former.domain_id`;

/**
 * In the transaction that removes a domain. Its list stays: who unsubscribed from a sender has not changed his mind when
 * the sender's account removes the domain and adds it again, under a new id.
 */
export async function keepDomainList(tx: Queryable, { accountId, id, name }: ListedDomain): Promise<void> {
  await tx.query(KEEP, [accountId, id, name]);
}

/** In the transaction that adds a domain: the list of the one that the account had under this name counts for it. */
export async function takeBackDomainList(tx: Queryable, { accountId, id, name }: ListedDomain): Promise<void> {
  await tx.query(TAKE_BACK, [accountId, id, name]);
}
