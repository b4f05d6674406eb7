import type { Queryable } from '#libs/persistence';

/**
 * A name that is free again may become another account's: whoever waits for it is looked at now. Across accounts on
 * purpose, and nobody learns anything by it.
 */
export async function wakeClaimants(tx: Queryable, name: string): Promise<void> {
  await tx.query(`UPDATE domains SET due_at = now() WHERE name = $1 AND status <> 'active' AND due_at IS NOT NULL`, [
    name,
  ]);
}
