import { seesDomain } from '#libs/contracts';
import { outbox, type Queryable } from '#libs/persistence';
import { readSuppressions, type ReadOptions } from './read.js';
import { suppressionEvent } from './suppression-event.js';
import type { SuppressionTarget } from './field-rules.js';
import { toSuppressionView, type SuppressionRow, type SuppressionView } from '../suppression.resource.js';

export interface RemovalOptions {
  /** Removes complaints as well. */
  force: boolean;
  /** Called in the transaction of the removal, for the audit log. */
  onRemoved: (tx: Queryable, removed: SuppressionView[]) => Promise<void>;
}

export type SuppressionRemoval =
  | { outcome: 'removed'; entry: SuppressionView }
  /** A complaint, which is removed only with `force`. */
  | { outcome: 'needs_force'; entry: SuppressionView }
  /** An entry of the account, which a key that is limited to domains sees but cannot remove. */
  | { outcome: 'restricted'; entry: SuppressionView }
  | { outcome: 'unknown' };

const REMOVE = 'DELETE FROM suppressions WHERE account_id = $1 AND id = ANY ($2::text[]) RETURNING id';

/** Removes entries, also expired ones, in the caller's transaction, each with its event. */
export async function removeSuppressions(
  tx: Queryable,
  { visibility, erasedAs, targets }: ReadOptions & { targets: readonly SuppressionTarget[] },
  { force, onRemoved }: RemovalOptions,
): Promise<SuppressionRemoval[]> {
  const rows = await readSuppressions(tx, { visibility, erasedAs }, targets);
  const isRemovable = (row: SuppressionRow) => seesDomain(visibility, row.domain_id);
  const isKept = (row: SuppressionRow) => !force && row.origin === 'complaint';
  const ids = new Set(rows.flatMap((row) => (row === null || !isRemovable(row) || isKept(row) ? [] : [row.id])));
  const values = [visibility.accountId, [...ids].sort()];
  const deleted = await tx.query<{ id: string }>({ name: 'suppressions-remove', text: REMOVE, values });
  // A concurrent removal emits its own event. If two targets are the same entry, the first one removes it.
  const ours = new Set(deleted.rows.map(({ id }) => id));
  const removed: SuppressionRow[] = [];
  const removals = rows.map((row): SuppressionRemoval => {
    if (row === null) return { outcome: 'unknown' };
    if (!isRemovable(row)) return { outcome: 'restricted', entry: toSuppressionView(row) };
    if (isKept(row)) return { outcome: 'needs_force', entry: toSuppressionView(row) };
    if (!ours.delete(row.id)) return { outcome: 'unknown' };
    removed.push(row);
    return { outcome: 'removed', entry: toSuppressionView(row) };
  });
  await outbox.append(
    tx,
    removed.map((row) => suppressionEvent('suppression.removed', row)),
  );
  if (removed.length > 0) await onRemoved(tx, removed.map(toSuppressionView));
  return removals;
}
