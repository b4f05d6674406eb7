import type { Queryable } from '#libs/persistence';

/** A sending domain of an account. */
export interface SuppressionDomain {
  accountId: string;
  id: string;
  name: string;
}

const KEEP = `
  INSERT INTO suppression_domains (account_id, name, domain_id) VALUES ($1, $3, $2)
  ON CONFLICT (account_id, name) DO UPDATE SET domain_id = excluded.domain_id`;

/** Waits for transactions that are adding entries for this domain. */
const FORMER = 'SELECT domain_id FROM suppression_domains WHERE account_id = $1 AND name = $2 FOR UPDATE';
const MOVE = 'UPDATE suppressions SET domain_id = $2 WHERE account_id = $1 AND domain_id = $3';

const CURRENT = 'SELECT domain_id FROM suppression_domains WHERE account_id = $1 AND name = $2 FOR SHARE';

interface Row {
  domain_id: string;
}

/**
 * Call it in the transaction that removes a domain. Its entries are kept: recipients who unsubscribed stay unsubscribed if
 * the account adds the domain again, under a new id.
 */
async function keepSuppressionsOfDomain(tx: Queryable, { accountId, id, name }: SuppressionDomain): Promise<void> {
  await tx.query(KEEP, [accountId, id, name]);
}

/** Call it in the transaction that adds a domain: the entries of an earlier domain of the same name apply to it. */
async function restoreSuppressionsOfDomain(tx: Queryable, domain: SuppressionDomain): Promise<void> {
  const { accountId, id, name } = domain;
  const { rows } = await tx.query<Row>(FORMER, [accountId, name]);
  if (rows.length === 0) return;
  await tx.query(MOVE, [accountId, id, rows[0].domain_id]);
  await keepSuppressionsOfDomain(tx, domain);
}

/** The id under which the entries of a domain are stored; it may have been removed since, or added again. */
async function suppressionDomainId(tx: Queryable, { accountId, id, name }: SuppressionDomain): Promise<string> {
  const { rows } = await tx.query<Row>(CURRENT, [accountId, name]);
  return rows.at(0)?.domain_id ?? id;
}

export const domainSuppressions = {
  keep: keepSuppressionsOfDomain,
  restore: restoreSuppressionsOfDomain,
  idOf: suppressionDomainId,
};
