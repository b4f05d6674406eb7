import type { AddressErasure } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';

interface Entry {
  id: string;
  reason: string | null;
  evidence: unknown;
}

/**
 * Puts the keyed hash in place of an address. The entries go on blocking, because the hash of an address is looked up as well.
 * Of two entries that become equal the newer one remains. Returns the number of entries.
 */
export async function eraseSuppressions(tx: Queryable, erasure: AddressErasure): Promise<number> {
  const { accountId, address, erasedAs } = erasure;
  await tx.query(
    `DELETE FROM suppressions old USING suppressions new
      WHERE old.account_id = $1 AND old.address = $3 AND new.account_id = $1 AND new.address = $2
        AND coalesce(old.domain_id, '') = coalesce(new.domain_id, '')`,
    [accountId, address, erasedAs],
  );
  const { rows } = await tx.query<Entry>(
    'SELECT id, reason, evidence FROM suppressions WHERE account_id = $1 AND address = $2 FOR UPDATE',
    [accountId, address],
  );
  for (const { id, reason, evidence } of rows)
    await tx.query('UPDATE suppressions SET address = $2, reason = $3, evidence = $4 WHERE id = $1', [
      id,
      erasedAs,
      reason === null ? null : erasure.rewrite(reason),
      evidence === null ? null : JSON.stringify(erasure.rewriteJson(evidence)),
    ]);
  return rows.length;
}
