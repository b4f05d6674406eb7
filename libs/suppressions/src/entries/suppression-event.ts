import type { RoutedEvent } from '#libs/contracts';
import { outbox } from '#libs/persistence';
import { toSuppressionView, type SuppressionRow } from '../suppression.resource.js';
import { databaseClock } from '#libs/kernel';

/** An entry is added once and removed at most once; an address that is added again gets a new id. */
const SEQUENCE = { 'suppression.added': 1, 'suppression.removed': 2 } as const;

export function suppressionEvent(type: keyof typeof SEQUENCE, row: SuppressionRow): RoutedEvent {
  const { id, email, origin, reason, source_id, domain_id, expires_at, created_at } = toSuppressionView(row);
  return outbox.event({
    type,
    data: { id, email, origin, reason, source_id, domain_id, expires_at, created_at },
    accountId: row.account_id,
    key: id,
    sequence: SEQUENCE[type],
    domainId: domain_id,
    test: false,
    at: type === 'suppression.added' ? row.created_at : databaseClock.date(),
  });
}
