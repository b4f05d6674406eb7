import { STATS_COUNTERS, type EventType, type LoggedEvent } from '#libs/contracts';
import { mailboxProvider } from './mailbox-provider.js';

/** Every way in which an event counts: the counters of a domain's statistics, and two more. */
export const EVENT_COUNTERS = [...STATS_COUNTERS, 'canceled', 'unsubscribed'] as const;
export type EventCounter = (typeof EVENT_COUNTERS)[number];

/** A row of `message_events`. */
export interface StatsRow {
  event_id: string;
  position: number;
  account_id: string;
  domain_id: string;
  email_id: string;
  type: string;
  recipient: string;
  /** See `mailboxProvider`. */
  provider: string;
  tags: Record<string, string>;
  /** The remote server; empty if none responded. */
  ip: string;
  failure_type: string;
  bounce_type: string;
  bounce_class: string;
  is_bot: 0 | 1;
  attempt: number;
  /** From due to delivered; 0 for other events. */
  latency_ms: number;
  /** The counter that the event increments; empty if it is only stored. */
  counter: EventCounter | '';
  /** `YYYY-MM-DD HH:MM:SS.mmm` in UTC: DateTime64 rejects the `T` and `Z` of ISO 8601, and numbers lose digits. */
  at: string;
  /** The token of the batch that contained the event. */
  batch: string;
}

/** The columns in the order of `columnValues`. */
export const STATS_COLUMNS = [
  'event_id',
  'position',
  'account_id',
  'domain_id',
  'email_id',
  'type',
  'recipient',
  'provider',
  'tags',
  'ip',
  'failure_type',
  'bounce_type',
  'bounce_class',
  'is_bot',
  'attempt',
  'latency_ms',
  'counter',
  'at',
  'batch',
] as const satisfies (keyof StatsRow)[];

/** A row for the format JSONCompactEachRow: without column names it costs a third less to write and to read. */
export const columnValues = (row: StatsRow): unknown[] => STATS_COLUMNS.map((column) => row[column]);

/** The fields of an event's data that statistics use; which are present depends on the type. */
interface Details {
  recipient?: string;
  tags?: Record<string, string>;
  ip?: string | null;
  failure_type?: string;
  bounce_type?: string;
  bounce_class?: string;
  is_bot?: boolean;
  attempt?: number;
  queued_at?: string;
}

/** The counter of each event type. Types that are absent here are not about mail and are not stored. */
const COUNTERS: Partial<Record<EventType, EventCounter | '' | ((details: Details) => EventCounter | '')>> = {
  'email.queued': 'accepted',
  'email.scheduled': '',
  // Every attempt emits this event, but the recipient counts once.
  'email.sent': ({ attempt }) => (attempt === 1 ? 'sent' : ''),
  'email.delivered': 'delivered',
  'email.bounced': 'bounced',
  'email.failed': ({ failure_type }) => (failure_type === 'temporary' ? 'deferred' : 'failed'),
  'email.opened': 'opened',
  'email.clicked': 'clicked',
  'email.complained': 'complained',
  'email.suppressed': 'suppressed',
  'email.canceled': 'canceled',
  'email.unsubscribed': 'unsubscribed',
};

/** The events that are stored, unless their message is a test. */
export const STORED_TYPES = Object.keys(COUNTERS) as EventType[];

/** How an event counts; empty: it is only stored; null: it does not belong to statistics. */
export function statsCounter({ event, test }: LoggedEvent): EventCounter | '' | null {
  const rule = COUNTERS[event.type];
  if (test || rule === undefined) return null;
  return typeof rule === 'function' ? rule(event.data as Details) : rule;
}

/** Null for events that do not belong to statistics: test mail, and events that are not about mail. */
export function toStatsRow({ event, key, domainId, test, position }: LoggedEvent, batch: string): StatsRow | null {
  const rule = COUNTERS[event.type];
  if (test || rule === undefined) return null;
  const details = event.data as Details;
  return {
    event_id: event.id,
    position,
    account_id: event.account_id,
    domain_id: domainId ?? '',
    email_id: key,
    type: event.type,
    ...recipientColumns(details),
    ...outcomeColumns(details),
    // The address of an open belongs to the reader, not to a mail server.
    ip: event.type === 'email.opened' ? '' : (details.ip ?? ''),
    is_bot: details.is_bot ? 1 : 0,
    latency_ms: event.type === 'email.delivered' ? millisecondsBetween(details.queued_at, event.created_at) : 0,
    counter: typeof rule === 'function' ? rule(details) : rule,
    at: event.created_at.replace('T', ' ').replace('Z', ''),
    batch,
  };
}

const recipientColumns = ({ recipient = '', tags = {} }: Details) => ({
  recipient,
  provider: mailboxProvider(recipient),
  tags,
});

const outcomeColumns = ({ failure_type = '', bounce_type = '', bounce_class = '', attempt = 0 }: Details) => ({
  failure_type,
  bounce_type,
  bounce_class,
  attempt,
});

function millisecondsBetween(from: string | undefined, to: string): number {
  return from === undefined ? 0 : Math.max(0, Date.parse(to) - Date.parse(from));
}
