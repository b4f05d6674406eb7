/**
 * The events of the service: one closed union for webhook bodies, Kafka records and live streams (D-32…D-35).
 * An event has one id on every way out. `data` is the public body; nothing private is ever put into it.
 */
export const EMAIL_EVENT_TYPES = [
  'email.queued',
  'email.scheduled',
  'email.sent',
  'email.delivered',
  'email.bounced',
  'email.failed',
  'email.opened',
  'email.clicked',
  'email.complained',
  'email.suppressed',
  'email.canceled',
  'email.unsubscribed',
] as const;
export type EmailEventType = (typeof EMAIL_EVENT_TYPES)[number];

export const EVENT_TYPES = [
  ...EMAIL_EVENT_TYPES,
  'email.delivery_delayed',
  'domain.created',
  'domain.updated',
  'domain.deleted',
  'suppression.added',
  'suppression.removed',
  'webhook.test',
  'webhook.disabled',
  'account.allowance_warning',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** What every `email.*` event tells (D-34). Timestamps are ISO 8601 UTC with milliseconds. */
export interface EmailEventBase {
  id: string;
  email_id: string;
  /** Of the mail, not of the event. */
  created_at: string;
  message_id: string;
  from: string;
  to: string[];
  subject: string;
  tags: Record<string, string>;
  /** The one recipient that this event concerns. */
  recipient: string;
  /** Present on events of test keys and sandbox mail only. */
  mode?: 'test';
}

/** The host that answered; null where none did. */
export interface RemoteFacts {
  mx: string | null;
  ip: string | null;
}

export interface SmtpFacts extends RemoteFacts {
  smtp_code: number | null;
  enhanced_code: string | null;
}

export type BounceType = 'hard' | 'soft' | 'undetermined';

export interface EventData {
  'email.queued': EmailEventBase;
  'email.scheduled': EmailEventBase & { scheduled_at: string };
  'email.sent': EmailEventBase & { attempt: number };
  'email.delivered': EmailEventBase &
    RemoteFacts & {
      /** When the mail was due: accepted, or the time it was scheduled for. */
      queued_at: string;
      delivered_at: string;
      smtp_response: string;
    };
  'email.bounced': EmailEventBase &
    SmtpFacts & {
      bounce_type: BounceType;
      bounce_message: string;
      bounce_class: string;
      bounce: { type: string; subType: string; message: string };
    };
  'email.failed': EmailEventBase &
    SmtpFacts & {
      failure_type: 'temporary' | 'final';
      temporary: boolean;
      reason: string;
      attempt: number;
      /** Null when final. */
      next_attempt_at: string | null;
      failed: { reason: string };
    };
  'email.suppressed': EmailEventBase & {
    reason: 'bounce' | 'complaint' | 'manual' | 'unsubscribe';
    suppressed: { type: string; message: string };
  };
  'email.canceled': EmailEventBase & { canceled_at: string };
  'email.opened': EmailEventBase & {
    opened_at: string;
    /** Null in privacy mode. */
    ip: string | null;
    user_agent: string | null;
    is_bot: boolean;
    bot_kind: string | null;
    open_count: number;
  };
  'email.clicked': EmailEventBase & {
    click_url: string;
    clicked_at: string;
    is_bot: boolean;
    bot_kind: string | null;
    click: { link: string; timestamp: string; ipAddress: string | null; userAgent: string | null };
  };
  'email.complained': EmailEventBase & {
    complained_at: string;
    /** RFC 5965 §7.3: abuse, fraud, … */
    feedback_type: string;
    reporter: string | null;
    complaint: { type: string; user_agent: string | null };
  };
  'email.unsubscribed': EmailEventBase & { unsubscribed_at: string };
  'domain.created': DomainEventData;
  'domain.updated': DomainEventData;
  'domain.deleted': DomainEventData;
  'suppression.added': SuppressionEventData;
  'suppression.removed': SuppressionEventData;
  'webhook.test': { webhook_id: string; message: string };
  'webhook.disabled': { webhook_id: string; url: string; reason: string; disabled_at: string };
  'account.allowance_warning': {
    /** Of the calendar month in UTC that the units count for. */
    month: string;
    limit: number;
    used: number;
    /** What was reached: 80 or 100. */
    percent: 80 | 100;
  };
}

export interface DomainEventData {
  id: string;
  name: string;
  status: 'pending' | 'active' | 'failed';
  /** Why the event happened: `created`, `verified`, `failed`, `warning`, `recovered`, `settings`, `deleted`; of its keys `dkim_*`. */
  reason: string;
  /** Since when a required record of an active domain has been missing. */
  warning_since: string | null;
  records: { record: string; type: string; name: string; value: string; status: string; required: boolean }[];
  created_at: string;
}

export interface SuppressionEventData {
  id: string;
  email: string;
  origin: 'bounce' | 'complaint' | 'manual' | 'unsubscribe';
  reason: string | null;
  source_id: string | null;
  domain_id: string | null;
  expires_at: string | null;
  created_at: string;
}
/** Types whose data has a shape above; the others join when the part that emits them does. */
export type EmittedType = keyof EventData;

/** One event as every consumer sees it; `{type, created_at, data}` of it is the webhook body (D-33). */
export interface ServiceEvent<T extends EmittedType = EmittedType> {
  id: string;
  account_id: string;
  type: T;
  created_at: string;
  data: EventData[T];
}

/** An event together with what the house needs to route it; `key` is the `em_…` (or `wh_…`) that orders it. */
export interface RoutedEvent<T extends EmittedType = EmittedType> {
  event: ServiceEvent<T>;
  key: string;
  /** Counts up per key, from 1. */
  sequence: number;
  domainId: string | null;
  /** Test events appear on webhooks and in logs but never in statistics. */
  test: boolean;
}

/** An event at its place in the log. Positions are dense: 1, 2, 3, … */
export interface LoggedEvent extends RoutedEvent {
  position: number;
}
