import type { EventType, LoggedEvent, StatsCounter } from '#libs/contracts';

/** One row of `email_events`, as JSONEachRow takes it. */
export interface StatsRow {
  event_id: string;
  position: number;
  account_id: string;
  domain_id: string;
  email_id: string;
  type: string;
  recipient: string;
  failure_type: string;
  attempt: number;
  /** The counter that this event adds one to; empty when it is only kept. */
  counter: StatsCounter | '';
  /** `YYYY-MM-DD HH:MM:SS.mmm` in UTC: DateTime64 refuses the `T` and `Z` of ISO 8601, and numbers lose digits. */
  at: string;
  /** The token of the batch that brought it. */
  batch: string;
}

interface Details {
  recipient?: string;
  failure_type?: string;
  attempt?: number;
}

/** What each type of event counts as. A type that is absent here is not about mail and is not kept. */
const COUNTERS: Partial<Record<EventType, StatsCounter | '' | ((details: Details) => StatsCounter | '')>> = {
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
  'email.canceled': '',
  'email.unsubscribed': '',
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
    recipient: details.recipient ?? '',
    failure_type: details.failure_type ?? '',
    attempt: details.attempt ?? 0,
    counter: typeof rule === 'function' ? rule(details) : rule,
    at: event.created_at.replace('T', ' ').replace('Z', ''),
    batch,
  };
}
