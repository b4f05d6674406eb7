import { newId, type EmittedType, type EventData, type RoutedEvent } from '#libs/contracts';
import type { Queryable } from './connection/database.js';

const TEXT_OID = 25;
export const JSON_OID = 114;
const ARRAY_HEADER_BYTES = 20;
const NULL_LENGTH = -1;

/**
 * Appends events to the outbox in the caller's transaction, so that an event exists exactly when its change does.
 * `sequence` must have been taken under the lock of the row that `key` names. The sequencer in `libs/bus` gives committed
 * events their position in the log.
 */
async function append(tx: Queryable, events: readonly RoutedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query({ name: 'outbox-append', text: insert(1), values: valuesOf(events) });
}

const COLUMNS = [
  ['event_id', 'text'],
  ['key', 'text'],
  ['sequence', 'integer'],
  ['account_id', 'text'],
  ['domain_id', 'text'],
  ['api_key_id', 'text'],
  ['type', 'text'],
  ['test', 'boolean'],
  ['created_at', 'timestamptz'],
  ['data', 'json'],
] as const;

/** Inserts `values`, given as parameters from `$first` on; inserts nothing without events. */
const insert = (first: number): string =>
  `INSERT INTO outbox (${COLUMNS.map(([name]) => name).join(', ')})
   SELECT ${COLUMNS.map(([, type], i) => `$${first + i}::${type}[]`).join(', ')} WHERE $${first}::text[] <> '{}'`;

function valuesOf(unordered: readonly RoutedEvent[]): unknown[] {
  const events = inOrderOfKeys(unordered);
  return [
    textArray(events.map(({ event }) => event.id)),
    textArray(events.map(({ key }) => key)),
    `{${events.map(({ sequence }) => sequence).join()}}`,
    textArray(events.map(({ event }) => event.account_id)),
    textArray(events.map(({ domainId }) => domainId)),
    textArray(events.map(({ apiKeyId }) => apiKeyId)),
    textArray(events.map(({ event }) => event.type)),
    `{${events.map(({ test }) => test).join()}}`,
    `{${events.map(({ event }) => event.created_at).join()}}`,
    textArray(
      events.map(({ event }) => JSON.stringify(event.data)),
      JSON_OID,
    ),
  ];
}

/** The log keeps this order, and its readers need the events of one key in the order of their sequence. */
function inOrderOfKeys(events: readonly RoutedEvent[]): readonly RoutedEvent[] {
  const last = new Map<string, number>();
  for (const { key, sequence } of events) {
    if (sequence < (last.get(key) ?? 0)) return events.toSorted((a, b) => a.sequence - b.sequence);
    last.set(key, sequence);
  }
  return events;
}

/** An event with a new id, ready for the outbox. `apiKeyId` is the key that submitted the message, if there is one. */
function newEvent<T extends EmittedType>(of: {
  type: T;
  data: EventData[T];
  accountId: string;
  key: string;
  sequence: number;
  domainId: string | null;
  apiKeyId?: string | null;
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
    apiKeyId: of.apiKeyId ?? null,
    test: of.test,
  };
}

/**
 * `append` writes the events of a transaction as one row, with one array per column. Statements that write other tables as well
 * contain `insert` with the `parameters` that `values` returns.
 */
export const outbox = { append, event: newEvent, insert, parameters: COLUMNS.length, values: valuesOf };

/**
 * A one-dimensional array in PostgreSQL's binary format (`array_recv`), for a parameter of type `text[]` or `json[]`. In
 * text format, every quote of a JSON value would be escaped here and unescaped by the server.
 */
export function textArray(values: readonly (string | null)[], elementOid = TEXT_OID): Buffer {
  const lengths = values.map((value) => (value === null ? NULL_LENGTH : Buffer.byteLength(value)));
  const array = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + Math.max(length, 0), ARRAY_HEADER_BYTES));
  // Dimensions, null flag, element type, number of elements, lower bound.
  let at = 0;
  for (const field of [1, lengths.includes(NULL_LENGTH) ? 1 : 0, elementOid, values.length, 1])
    at = array.writeInt32BE(field, at);
  for (const [i, value] of values.entries()) {
    at = array.writeInt32BE(lengths[i], at);
    if (value !== null) at += array.write(value, at);
  }
  return array;
}
