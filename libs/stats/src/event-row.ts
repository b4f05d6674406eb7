import {
  simulations,
  bareUuid,
  STATS_COUNTERS,
  type EventType,
  type LoggedEvent,
  mailboxProviders,
} from '#libs/contracts';

/** Every way in which an event counts: the counters of a domain's statistics, and two more. */
export const EVENT_COUNTERS = [...STATS_COUNTERS, 'canceled', 'unsubscribed'] as const;
export type EventCounter = (typeof EVENT_COUNTERS)[number];

/** A row of `recipient_events`. */
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
  /** Address and name of the remote server; empty if none responded. */
  ip: string;
  host: string;
  /** The key that submitted the message; empty if unknown. */
  api_key: string;
  bounce_type: string;
  bounce_class: string;
  is_bot: 0 | 1;
  /** Whether the recipient is an address of the simulator. */
  is_simulated: 0 | 1;
  /** From due to delivered; 0 for other events. */
  latency_ms: number;
  /** The counter that the event increments; empty if it is only stored. */
  counter: EventCounter | '';
  /** The dimensions whose values are beyond the limit, see `ValueLimit`. */
  folded: string[];
  /** `YYYY-MM-DD HH:MM:SS.mmm` in UTC: DateTime64 rejects the `T` and `Z` of ISO 8601, and numbers lose digits. */
  at: string;
  /** A number for the batch that contained the event, as text because it has 64 bits. */
  batch: string;
}

/** The columns in the order of `columnValues`. */
export const EVENT_ROW_COLUMNS = [
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
  'host',
  'api_key',
  'bounce_type',
  'bounce_class',
  'is_bot',
  'is_simulated',
  'latency_ms',
  'counter',
  'folded',
  'at',
  'batch',
] as const satisfies (keyof StatsRow)[];

/** A row for the format JSONCompactEachRow: without column names it costs a third less to write and to read. */
export const columnValues = (row: StatsRow): unknown[] => EVENT_ROW_COLUMNS.map((column) => row[column]);

/** For an event without a domain. */
export const NO_ID = '00000000-0000-0000-0000-000000000000';

/** The UUID of an id such as `em_…`, which takes half the space; null for text that is no id. */
export function uuidOf(id: string): string | null {
  const uuid = bareUuid(id);
  return uuid === id ? null : uuid;
}

/** The fields of an event's data that statistics use; which are present depends on the type. */
interface Details {
  recipient?: string;
  tags?: Record<string, string>;
  ip?: string | null;
  mx?: string | null;
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

/**
 * The counter that an event increments: empty if the event is stored and counted nowhere, null if it does not belong to
 * statistics (test mail, and events that are not about mail).
 */
export function statsCounter({ event, test }: LoggedEvent): EventCounter | '' | null {
  const rule = COUNTERS[event.type];
  if (test || rule === undefined) return null;
  return typeof rule === 'function' ? rule(event.data as Details) : rule;
}

/** Null for events that do not belong to statistics. `batch`: see `StatsRow`. */
export function toStatsRow(
  logged: LoggedEvent,
  { batch, serviceDomain }: { batch: string; serviceDomain: string },
): StatsRow | null {
  const counter = statsCounter(logged);
  if (counter === null) return null;
  const { event, key, domainId, position, apiKeyId } = logged as LoggedEvent & { apiKeyId?: string | null };
  const details = event.data as Details;
  return {
    event_id: uuidOf(event.id) ?? NO_ID,
    position,
    account_id: uuidOf(event.account_id) ?? NO_ID,
    domain_id: uuidOf(domainId ?? '') ?? NO_ID,
    email_id: uuidOf(key) ?? NO_ID,
    type: event.type,
    ...recipientColumns(details, serviceDomain),
    ...remoteColumns(event.type, details),
    api_key: apiKeyId ?? '',
    bounce_type: details.bounce_type ?? '',
    bounce_class: details.bounce_class ?? '',
    is_bot: details.is_bot ? 1 : 0,
    latency_ms: event.type === 'email.delivered' ? millisecondsBetween(details.queued_at, event.created_at) : 0,
    counter,
    folded: [],
    at: event.created_at.replace('T', ' ').replace('Z', ''),
    batch,
  };
}

const recipientColumns = ({ recipient = '', tags = {} }: Details, serviceDomain: string) => ({
  recipient,
  provider: mailboxProviders.of(recipient),
  is_simulated: simulations.ofAddress(recipient.toLowerCase(), serviceDomain) === null ? (0 as const) : (1 as const),
  tags,
});

/** The address of an open belongs to the reader, not to a mail server. */
const remoteColumns = (type: EventType, { ip, mx }: Details) => ({
  ip: type === 'email.opened' ? '' : (ip ?? ''),
  host: (mx ?? '').toLowerCase(),
});

/** At most 32 bits, which is 49 days. */
function millisecondsBetween(from: string | undefined, to: string): number {
  return from === undefined ? 0 : Math.min(Math.max(0, Date.parse(to) - Date.parse(from)), 0xffff_ffff);
}
