import { newId, type EmittedType, type EventData, type RoutedEvent } from '#libs/contracts';
import { isoTime } from '#libs/kernel';
import type { Queryable } from './database.js';
import { freshEvents } from './fresh-events.js';
import { JSON_OID, textArray } from './text-array.js';

/**
 * Appends events to the outbox inside the caller's transaction: the event exists exactly if the fact does.
 * `sequence` must have been taken under the lock of the row that `key` names. The sequencer (bus) gives committed events
 * their position in the log.
 */
export async function appendEvents(tx: Queryable, events: readonly RoutedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query({ name: 'outbox-append', text: insertPortion(1), values: portionOf(events) });
}

const COLUMNS = [
  ['event_id', 'text'],
  ['key', 'text'],
  ['sequence', 'integer'],
  ['account_id', 'text'],
  ['domain_id', 'text'],
  ['type', 'text'],
  ['test', 'boolean'],
  ['created_at', 'timestamptz'],
  ['data', 'json'],
] as const;

/** How many parameters a portion takes in a statement. */
export const PORTION_PARAMETERS = COLUMNS.length;

/** Inserts what `portionOf` makes, given as parameters from `$first` on; nothing where that has no events. */
export const insertPortion = (first: number): string =>
  `INSERT INTO outbox_portions (${COLUMNS.map(([name]) => name).join(', ')})
   SELECT ${COLUMNS.map(([, type], i) => `$${first + i}::${type}[]`).join(', ')} WHERE $${first}::text[] <> '{}'`;

/** Events as one row of the outbox, a value per column. They are not changed from here on: readers may be given them. */
export function portionOf(events: readonly RoutedEvent[]): unknown[] {
  freshEvents.add(events);
  return [
    textArray(events.map(({ event }) => event.id)),
    textArray(events.map(({ key }) => key)),
    `{${events.map(({ sequence }) => sequence).join()}}`,
    textArray(events.map(({ event }) => event.account_id)),
    textArray(events.map(({ domainId }) => domainId)),
    textArray(events.map(({ event }) => event.type)),
    `{${events.map(({ test }) => test).join()}}`,
    `{${events.map(({ event }) => event.created_at).join()}}`,
    textArray(
      events.map(({ event }) => JSON.stringify(event.data)),
      JSON_OID,
    ),
  ];
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
      created_at: isoTime(of.at),
      data: of.data,
    },
    key: of.key,
    sequence: of.sequence,
    domainId: of.domainId,
    test: of.test,
  };
}
