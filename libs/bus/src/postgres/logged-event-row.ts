import type { LoggedEvent, RoutedEvent, ServiceEvent } from '#libs/contracts';
import { isoTime } from '#libs/kernel';

/** Of an event, in `event_log` and in the outbox. */
export const EVENT_COLUMNS = 'event_id, key, sequence, account_id, domain_id, type, test, created_at, data';
export const LOG_COLUMNS = `position, ${EVENT_COLUMNS}`;

/** As the driver gives it: json is parsed. */
export interface EventRow {
  event_id: string;
  key: string;
  sequence: number;
  account_id: string;
  domain_id: string | null;
  type: string;
  test: boolean;
  created_at: Date;
  data: unknown;
}

/** A row of `event_log`: bigint is text. */
export interface LoggedEventRow extends EventRow {
  position: string;
}

export function routedEventOf(row: EventRow): RoutedEvent {
  return {
    event: {
      id: row.event_id,
      account_id: row.account_id,
      type: row.type,
      created_at: isoTime(row.created_at),
      data: row.data,
    } as ServiceEvent,
    key: row.key,
    sequence: row.sequence,
    domainId: row.domain_id,
    test: row.test,
  };
}

/** Written out, as it is made for every event: spreading costs several times as much. */
export function loggedEvent(row: LoggedEventRow): LoggedEvent {
  const { event, key, sequence, domainId, test } = routedEventOf(row);
  return { event, key, sequence, domainId, test, position: Number(row.position) };
}
