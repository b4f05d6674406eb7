import type { AddressErasure, ErasedBatch } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';

/** Entries that one batch reads. */
const SCANNED = 5_000;

/** Replaces an erased address in the audit log of its account, from the id in `cursor` on ('' for the beginning). */
export async function eraseAuditLog(db: Queryable, erasure: AddressErasure, cursor: string): Promise<ErasedBatch> {
  const { rows } = await db.query<{ id: string; target: string; details: unknown }>(
    `SELECT id, target, details FROM audit_log WHERE account_id = $1 AND id > $2 ORDER BY account_id, id LIMIT $3`,
    [erasure.accountId, cursor, SCANNED],
  );
  let erased = 0;
  for (const { id, target, details } of rows) {
    const after = erasure.rewriteJson({ target, details });
    if (JSON.stringify(after) === JSON.stringify({ target, details })) continue;
    await db.query('UPDATE audit_log SET target = $2, details = $3 WHERE id = $1', [
      id,
      after.target,
      JSON.stringify(after.details),
    ]);
    erased += 1;
  }
  return { rows: erased, cursor: rows.length === SCANNED ? rows[rows.length - 1].id : null };
}
