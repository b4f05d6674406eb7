import type { LoggedEvent, ServiceEvent } from '#libs/contracts';

export const LOG_COLUMNS = 'position, event_id, key, sequence, account_id, domain_id, type, test, created_at, data';

/** A row of `event_log` as the driver gives it: bigint is text, json is parsed. */
export interface LoggedEventRow {
  position: string;
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

export function loggedEvent(row: LoggedEventRow): LoggedEvent {
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
    position: Number(row.position),
  };
}
