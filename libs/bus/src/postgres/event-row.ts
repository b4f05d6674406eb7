import { timeOfId, type LoggedEvent, type RoutedEvent, type ServiceEvent } from '#libs/contracts';

/** Columns of `event_log` and of the outbox; in both, each is an array with one element per event. */
export const EVENT_COLUMNS = 'event_id, key, sequence, account_id, domain_id, api_key_id, type, test, created_at, data';

const columns = EVENT_COLUMNS.split(', ');

/** The position behind the last event of a batch; the expression of an index. */
export const BATCH_END = '(first_position + count)';

/**
 * Small outbox rows are joined until a batch of the log has about so many events: a batch has a fixed cost, but a reader of
 * one event reads all of its batch.
 */
export const BATCH_EVENTS = 64;

/** For a FROM clause: the events of batch `b` of `event_log` as rows `event`, with their subscript. */
export const EVENTS_OF_BATCH = `unnest(${columns.map((name) => `b.${name}`).join(', ')})
  WITH ORDINALITY AS event (${EVENT_COLUMNS}, subscript)`;

/** The position of such a row. */
export const POSITION = '(b.first_position + event.subscript - 1)';

export const LOG_COLUMNS = `${POSITION} AS position, b.moved_at, ${columns.map((name) => `event.${name}`).join(', ')}`;

/** The columns of the event with subscript `subscript` of batch `b`. */
export const elementColumns = (subscript: string): string =>
  `b.first_position + ${subscript} - 1 AS position, b.moved_at,
   ${columns.map((name) => `b.${name}[${subscript}] AS ${name}`).join(', ')}`;

/**
 * Batches with events behind a position, in order, that were not moved before `since`. A LIMIT on their events stops the
 * scan early: `unnest` of a batch depends on the batch, so the events come in the order of the batches.
 */
export const batchesAfter = (position: string, since: string): string =>
  `SELECT * FROM event_log WHERE moved_at >= ${since} AND ${BATCH_END} > ${position}::bigint + 1 ORDER BY ${BATCH_END}`;

/** The end of the batch with this position, or of the last batch before it: no batch up to the position ends later. */
export const endOfBatchWith = (position: string): string =>
  `coalesce((SELECT ${BATCH_END} FROM event_log WHERE ${BATCH_END} > ${position}::bigint ORDER BY ${BATCH_END} LIMIT 1), ${position}::bigint)`;

/** With parsed JSON. */
export interface EventRow {
  event_id: string;
  key: string;
  sequence: number;
  account_id: string;
  domain_id: string | null;
  api_key_id: string | null;
  type: string;
  test: boolean;
  created_at: Date;
  data: unknown;
}

/** An event of the log; bigint is text. */
export interface LoggedEventRow extends EventRow {
  position: string;
  moved_at: Date;
}

export function toRoutedEvent(row: EventRow): RoutedEvent {
  return {
    event: {
      id: row.event_id,
      account_id: row.account_id,
      type: row.type,
      created_at: row.created_at.toISOString(),
      data: row.data,
    } as ServiceEvent,
    key: row.key,
    sequence: row.sequence,
    domainId: row.domain_id,
    apiKeyId: row.api_key_id,
    test: row.test,
  };
}

/** Without object spread, which costs several times as much for every event. */
export function toLoggedEvent(row: LoggedEventRow): LoggedEvent {
  const { event, key, sequence, domainId, apiKeyId, test } = toRoutedEvent(row);
  return { event, key, sequence, domainId, apiKeyId, test, position: Number(row.position) };
}

/** The clocks of the programs and of the database differ by less. */
const CLOCK_TOLERANCE_MS = 86_400_000;
const UNKNOWN = new Date(0);

/** Events of the thing with this id, or the event itself, were not moved to the log earlier. Older partitions are not read. */
export function earliestMove(id: string): Date {
  const time = timeOfId(id).getTime() - CLOCK_TOLERANCE_MS;
  return time > 0 ? new Date(time) : UNKNOWN;
}

/** When the newest event that was read was moved to the log: a reader of the events behind it needs no older partition. */
export class ReadHint {
  private position = Infinity;
  private movedAt = UNKNOWN;

  since(after: number): Date {
    return after >= this.position ? this.movedAt : UNKNOWN;
  }

  /** `rows` in the order of their positions. */
  note(rows: readonly LoggedEventRow[]): void {
    const last = rows.at(-1);
    if (last === undefined) return;
    this.position = Number(last.position);
    this.movedAt = last.moved_at;
  }
}
