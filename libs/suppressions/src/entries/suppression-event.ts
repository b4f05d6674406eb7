import type { RoutedEvent } from '#libs/contracts';
import { routedEvent } from '#libs/persistence';
import type { SuppressionEntity } from '../suppression.entity.js';
import { databaseClock } from '#libs/kernel';

/** An entry is added once and removed at most once; an address that is added again gets a new id. */
const SEQUENCE = { 'suppression.added': 1, 'suppression.removed': 2 } as const;

export function suppressionEvent(type: keyof typeof SEQUENCE, row: SuppressionEntity): RoutedEvent {
  return routedEvent({
    type,
    data: {
      id: row.id,
      email: row.address,
      origin: row.origin,
      reason: row.reason,
      source_id: row.sourceId,
      domain_id: row.domainId,
      expires_at: row.expiresAt?.toISOString() ?? null,
      created_at: row.createdAt.toISOString(),
    },
    accountId: row.accountId,
    key: row.id,
    sequence: SEQUENCE[type],
    domainId: row.domainId,
    test: false,
    at: type === 'suppression.added' ? row.createdAt : databaseClock.date(),
  });
}
