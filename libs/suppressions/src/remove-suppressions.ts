import { appendEvents, type Queryable } from '#libs/persistence';
import { readSuppressions } from './read-suppressions.js';
import { suppressionEvent } from './suppression-event.js';
import type { SuppressionTarget } from './suppression-rules.js';
import { presentSuppression, type SuppressionView } from './suppression-view.js';
import type { SuppressionEntity } from './suppression.entity.js';

export interface RemovalOptions {
  /** Takes away complaints too (D-51). */
  force: boolean;
  /** What else is to be written in the transaction of the removal: who did it. */
  witness: (tx: Queryable, removed: SuppressionView[]) => Promise<void>;
}

export type SuppressionRemoval =
  | { outcome: 'removed'; entry: SuppressionView }
  /** Somebody complained, and `force` was not given: the entry stays. */
  | { outcome: 'needs_force'; entry: SuppressionView }
  | { outcome: 'unknown' };

const REMOVE = 'DELETE FROM suppressions WHERE account_id = $1 AND id = ANY ($2::text[]) RETURNING id';

/** Takes entries off the list, expired ones too, in the caller's transaction, each with its event. */
export async function removeSuppressions(
  tx: Queryable,
  { accountId, targets }: { accountId: string; targets: readonly SuppressionTarget[] },
  { force, witness }: RemovalOptions,
): Promise<SuppressionRemoval[]> {
  const rows = await readSuppressions(tx, accountId, targets);
  const kept = (row: SuppressionEntity) => !force && row.origin === 'complaint';
  const ids = new Set(rows.flatMap((row) => (row === null || kept(row) ? [] : [row.id])));
  const values = [accountId, [...ids].sort()];
  const deleted = await tx.query<{ id: string }>({ name: 'suppressions-remove', text: REMOVE, values });
  // Whoever else removed it at the same moment has told of it; of two targets that mean one entry the first removes it.
  const ours = new Set(deleted.rows.map(({ id }) => id));
  const removed: SuppressionEntity[] = [];
  const removals = rows.map((row): SuppressionRemoval => {
    if (row === null) return { outcome: 'unknown' };
    if (kept(row)) return { outcome: 'needs_force', entry: presentSuppression(row) };
    if (!ours.delete(row.id)) return { outcome: 'unknown' };
    removed.push(row);
    return { outcome: 'removed', entry: presentSuppression(row) };
  });
  await appendEvents(
    tx,
    removed.map((row) => suppressionEvent('suppression.removed', row)),
  );
  if (removed.length > 0) await witness(tx, removed.map(presentSuppression));
  return removals;
}
