import type { LoggedEvent, RoutedEvent, ServiceEvent } from '#libs/contracts';

/** Columns of `event_log` and of the outbox. */
export const EVENT_COLUMNS = 'event_id, key, sequence, account_id, domain_id, type, test, created_at, data';
export const LOG_COLUMNS = `position, ${EVENT_COLUMNS}`;

/** With parsed JSON. */
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

/** A row of `event_log`; bigint is text. */
export interface LoggedEventRow extends EventRow {
  position: string;
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
    test: row.test,
  };
}

/** Without object spread, which costs several times as much for every event. */
export function toLoggedEvent(row: LoggedEventRow): LoggedEvent {
  const { event, key, sequence, domainId, test } = toRoutedEvent(row);
  return { event, key, sequence, domainId, test, position: Number(row.position) };
}
