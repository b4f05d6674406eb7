import type { Queryable } from '#libs/persistence';

/** A sending domain of an account. */
export interface ListedDomain {
  accountId: string;
  id: string;
  name: string;
}

const KEEP = `
  INSERT INTO suppression_domains (account_id, name, domain_id) VALUES ($1, $3, $2)
  ON CONFLICT (account_id, name) DO UPDATE SET domain_id = excluded.domain_id`;

/** Who puts somebody on the list at this moment holds the row, and is waited for. */
const FORMER = 'SELECT domain_id FROM suppression_domains WHERE account_id = $1 AND name = $2 FOR UPDATE';
const MOVE = 'UPDATE suppressions SET domain_id = $2 WHERE account_id = $1 AND domain_id = $3';

const STANDS = 'SELECT domain_id FROM suppression_domains WHERE account_id = $1 AND name = $2 FOR SHARE';

interface Row {
  domain_id: string;
}

/**
 * In the transaction that removes a domain. Its list stays: who unsubscribed from a sender has not changed his mind when
 * the sender's account removes the domain and adds it again, under a new id.
 */
export async function keepDomainList(tx: Queryable, { accountId, id, name }: ListedDomain): Promise<void> {
  await tx.query(KEEP, [accountId, id, name]);
}

/** In the transaction that adds a domain: the list of the one that the account had under this name counts for it. */
export async function takeBackDomainList(tx: Queryable, domain: ListedDomain): Promise<void> {
  const { accountId, id, name } = domain;
  const { rows } = await tx.query<Row>(FORMER, [accountId, name]);
  if (rows.length === 0) return;
  await tx.query(MOVE, [accountId, id, rows[0].domain_id]);
  await keepDomainList(tx, domain);
}

/** The id under which the list of a domain stands, which may have been removed since, or added again. */
export async function listedUnder(tx: Queryable, { accountId, id, name }: ListedDomain): Promise<string> {
  const { rows } = await tx.query<Row>(STANDS, [accountId, name]);
  return rows.at(0)?.domain_id ?? id;
}
