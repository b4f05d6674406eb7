import type { EventType, LoggedEvent } from '#libs/contracts';
import { mailboxProvider } from './mailbox-provider.js';
import type { EventCounter } from './event-counter.js';

/** One row of `mail_events`. */
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
  /** Of the server that answered; empty where none did. */
  ip: string;
  failure_type: string;
  bounce_type: string;
  bounce_class: string;
  is_bot: 0 | 1;
  attempt: number;
  /** From due to delivered; 0 on any other event. */
  latency_ms: number;
  /** The counter that this event adds one to; empty when it is only kept. */
  counter: EventCounter | '';
  /** `YYYY-MM-DD HH:MM:SS.mmm` in UTC: DateTime64 refuses the `T` and `Z` of ISO 8601, and numbers lose digits. */
  at: string;
  /** The token of the batch that brought it. */
  batch: string;
}

/** In the order of `statsValues`. */
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

/** As JSONCompactEachRow takes a row: without the columns' names it costs a third less to write and to read. */
export const statsValues = (row: StatsRow): unknown[] => STATS_COLUMNS.map((column) => row[column]);

/** What is read of an event's data; which of it is there depends on the type. */
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

/** What each type of event counts as. A type that is absent here is not about mail and is not kept. */
const COUNTERS: Partial<Record<EventType, EventCounter | '' | ((details: Details) => EventCounter | '')>> = {
  'email.queued': 'accepted',
  'email.scheduled': '',
  // Every attempt emits one, the recipient was sent to once.
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

/** The row of an event, or null when it has no place in statistics: test mail, and whatever is not about mail. */
export function statsRow({ event, key, domainId, test, position }: LoggedEvent, batch: string): StatsRow | null {
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
    ...answerColumns(details),
    // Of who opened or clicked the address is the visitor's, not the server's.
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

const answerColumns = ({ failure_type = '', bounce_type = '', bounce_class = '', attempt = 0 }: Details) => ({
  failure_type,
  bounce_type,
  bounce_class,
  attempt,
});

function millisecondsBetween(from: string | undefined, to: string): number {
  return from === undefined ? 0 : Math.max(0, Date.parse(to) - Date.parse(from));
}
