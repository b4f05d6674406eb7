import { newId, type EmittedType, type EventData, type RoutedEvent } from '#libs/contracts';
import type { Queryable } from './database.js';

/**
 * Appends events to the outbox inside the caller's transaction: the event exists exactly if the fact does.
 * `sequence` must have been taken under the lock of the row that `key` names. The sequencer (bus) gives committed rows
 * their position in the log.
 */
export async function appendEvents(tx: Queryable, events: readonly RoutedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query({
    name: 'outbox-append',
    text: `INSERT INTO outbox (${OUTBOX_COLUMNS}) ${OUTBOX_FROM_ARRAYS(1)}`,
    values: outboxArrays(events),
  });
}

export const OUTBOX_COLUMNS = 'event_id, key, sequence, account_id, domain_id, type, test, created_at, data';

/** `SELECT … FROM unnest(…)` over the nine arrays of `outboxArrays`, whose first parameter is `$first`. */
export const OUTBOX_FROM_ARRAYS = (first: number): string => {
  const types = ['text', 'text', 'int', 'text', 'text', 'text', 'boolean', 'timestamptz', 'json'];
  return `SELECT * FROM unnest(${types.map((type, i) => `$${first + i}::${type}[]`).join(', ')})`;
};

/** The columns of the events, one array each, in the order of `OUTBOX_COLUMNS`. */
export function outboxArrays(events: readonly RoutedEvent[]): unknown[][] {
  const columns: unknown[][] = Array.from({ length: 9 }, () => []);
  for (const { event, key, sequence, domainId, test } of events) {
    const row = [
      event.id,
      key,
      sequence,
      event.account_id,
      domainId,
      event.type,
      test,
      event.created_at,
      JSON.stringify(event.data),
    ];
    row.forEach((value, i) => columns[i].push(value));
  }
  return columns;
}

/** An event with a new id, ready for the outbox. */
export function routedEvent<T extends EmittedType>(of: {
  type: T;
  data: EventData[T];
  accountId: string;
  key: string;
  sequence: number;
  domainId: string | null;
  test: boolean;
  at: Date;
}): RoutedEvent<T> {
  return {
    event: {
      id: newId('evt'),
      account_id: of.accountId,
      type: of.type,
      created_at: of.at.toISOString(),
      data: of.data,
    },
    key: of.key,
    sequence: of.sequence,
    domainId: of.domainId,
    test: of.test,
  };
}
