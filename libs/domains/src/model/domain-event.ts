import type { RoutedEvent, sentences } from '#libs/contracts';
import { outbox } from '#libs/persistence';
import { domainRecords } from './domain-records.js';
import type { DomainRow } from './domain-row.js';

type DomainEventType = 'domain.created' | 'domain.updated' | 'domain.deleted';
export type DomainEventReason = keyof typeof sentences.DOMAIN_CHANGES;

/** An event with the present state of the domain. `sequence` was incremented under the lock of the row. */
export function domainEvent(
  domain: DomainRow,
  serviceDomain: string,
  of: { type: DomainEventType; reason: DomainEventReason; sequence: number; at: Date },
): RoutedEvent {
  return outbox.event({
    type: of.type,
    accountId: domain.account_id,
    key: domain.id,
    sequence: of.sequence,
    domainId: domain.id,
    test: false,
    at: of.at,
    data: {
      id: domain.id,
      name: domain.name,
      status: domain.status,
      reason: of.reason,
      warning_since: domain.warning_since?.toISOString() ?? null,
      records: domainRecords(domain, serviceDomain).map(({ record, type, name, value, status, required }) => ({
        record,
        type,
        name,
        value,
        status,
        required,
      })),
      created_at: domain.created_at.toISOString(),
    },
  });
}
