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
    text: `INSERT INTO outbox (${OUTBOX_COLUMNS}) ${OUTBOX_FROM_JSON('$1')}`,
    values: [outboxJson(events)],
  });
}

const COLUMNS = [
  ['event_id', 'text'],
  ['key', 'text'],
  ['sequence', 'int'],
  ['account_id', 'text'],
  ['domain_id', 'text'],
  ['type', 'text'],
  ['test', 'boolean'],
  ['created_at', 'timestamptz'],
  ['data', 'json'],
] as const;

export const OUTBOX_COLUMNS = COLUMNS.map(([name]) => name).join(', ');

/** `SELECT …` of the columns from what `outboxJson` makes, given as this parameter, for example `$3`. */
export const OUTBOX_FROM_JSON = (parameter: string): string =>
  `SELECT ${OUTBOX_COLUMNS} FROM json_to_recordset(${parameter}::json) AS o(${COLUMNS.map((column) => column.join(' ')).join(', ')})`;

/** The rows of the events as one JSON text: as arrays they would be escaped once more, at ten times the cost. */
export function outboxJson(events: readonly RoutedEvent[]): string {
  return JSON.stringify(
    events.map(({ event, key, sequence, domainId, test }) => ({
      event_id: event.id,
      key,
      sequence,
      account_id: event.account_id,
      domain_id: domainId,
      type: event.type,
      test,
      created_at: event.created_at,
      data: event.data,
    })),
  );
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
