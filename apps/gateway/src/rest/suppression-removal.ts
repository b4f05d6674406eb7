import type { AuditLog, Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import type { RemovalOptions, SuppressionRemoval, SuppressionView } from '#libs/suppressions';

/** How `caller` takes entries away: each removal stands in the audit log (D-51). */
export function removalBy({ accountId, keyId }: Principal, audit: AuditLog, force: boolean): RemovalOptions {
  const entryOf = ({ id, email, origin, source_id, domain_id }: SuppressionView) => ({
    accountId,
    actor: keyId,
    action: 'suppression.removed',
    target: id,
    facts: { email, origin, source_id, domain_id, force },
  });
  return { force, witness: (tx, removed) => audit.record(tx, ...removed.map(entryOf)) };
}

/** The entry that is gone. @throws Refusal `not_found`, or `conflict` for a complaint that needs force. */
export function removedEntry(removal: SuppressionRemoval): SuppressionView {
  switch (removal.outcome) {
    case 'removed':
      return removal.entry;
    case 'needs_force':
      throw new Refusal(
        'conflict',
        [{ field: 'force', code: 'complaint_needs_force', message: 'must be true to take away a complaint' }],
        'Somebody complained about mail to this address. Give force=true to take it off the list.',
      );
    case 'unknown':
      throw new Refusal('not_found');
  }
}
