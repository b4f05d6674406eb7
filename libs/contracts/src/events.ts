/**
 * The events of the service: one closed union for webhook bodies, Kafka records and live streams. An event has the same
 * id everywhere. `data` is the public body, so it must not contain private data. See
 * docs/decisions/018-status-and-events.md.
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
  'account.paused',
  'account.resumed',
  'account.pool_changed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The data of every `email.*` event. Timestamps are ISO 8601 in UTC with milliseconds. */
export interface EmailEventBase {
  id: string;
  email_id: string;
  /** When the message was created, not the event. */
  created_at: string;
  message_id: string;
  from: string;
  to: string[];
  subject: string;
  tags: Record<string, string>;
  /** The one recipient of this event. */
  recipient: string;
  /** Only for messages of test keys and of the sandbox. */
  mode?: 'test';
}

/** The host that replied; null if none did. */
interface RemoteFacts {
  mx: string | null;
  ip: string | null;
}

interface SmtpFacts extends RemoteFacts {
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
      /** When the message was due: the time of acceptance, or the scheduled time. */
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
      /** Null if the failure is final. */
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
    /** The name of the rule that took the visitor for a bot. */
    bot_rule: string | null;
    open_count: number;
  };
  'email.clicked': EmailEventBase & {
    click_url: string;
    clicked_at: string;
    is_bot: boolean;
    bot_kind: string | null;
    bot_rule: string | null;
    click: { link: string; timestamp: string; ipAddress: string | null; userAgent: string | null };
  };
  'email.complained': EmailEventBase & {
    complained_at: string;
    /** RFC 5965 §7.3: `abuse`, `fraud` and so on. */
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
    /** The calendar month (UTC) of the units. */
    month: string;
    limit: number;
    used: number;
    /** The threshold that was reached. */
    percent: 80 | 100;
  };
  'account.paused': SendingPause;
  'account.resumed': { resumed_at: string };
  /** The mail of an account leaves from another source pool. */
  'account.pool_changed': {
    pool: 'penalty' | 'default';
    /** The rate that was exceeded; `operator`: the operator decided; `clean_days`: it sent within all limits for long enough. */
    reason: 'bounces' | 'complaints' | 'blocks' | 'operator' | 'clean_days';
    changed_at: string;
    /** The counts; null unless a limit was exceeded. */
    recipients: number | null;
    hard_bounces: number | null;
    complaints: number | null;
    /** Replies of servers that refused or deferred emails as unwanted. */
    blocks: number | null;
    limit_percent: number | null;
  };
}

/** Why an account may not send: what was counted when it was paused. */
export interface SendingPause {
  reason: 'bounces' | 'complaints';
  paused_at: string;
  /** Recipients of live messages whose delivery ended in the window. */
  recipients: number;
  /** How many of them bounced permanently. */
  hard_bounces: number;
  /** How many of them reported the message as unwanted. */
  complaints: number;
  /** The limit that was exceeded, in percent of `recipients`. */
  limit_percent: number;
}

interface DomainEventData {
  id: string;
  name: string;
  status: 'pending' | 'active' | 'failed';
  /**
   * The reason of the event: `created`, `verified`, `failed`, `warning`, `recovered`, `settings`, `deleted`, or
   * `dkim_*` for its keys.
   */
  reason: string;
  /** Since when a required record of an active domain has been missing. */
  warning_since: string | null;
  records: { record: string; type: string; name: string; value: string; status: string; required: boolean }[];
  created_at: string;
}

interface SuppressionEventData {
  id: string;
  email: string;
  origin: 'bounce' | 'complaint' | 'manual' | 'unsubscribe';
  reason: string | null;
  source_id: string | null;
  domain_id: string | null;
  expires_at: string | null;
  created_at: string;
}
/** All types that the service emits. `email.delivery_delayed` is another name of a temporary `email.failed`. */
export type EmittedType = keyof EventData;

/** One event. `{type, created_at, data}` is the body of a webhook; see docs/decisions/020-webhooks.md. */
export interface ServiceEvent<T extends EmittedType = EmittedType> {
  id: string;
  account_id: string;
  type: T;
  created_at: string;
  data: EventData[T];
}

/** The body of a webhook for each event type; `openapi.json` is generated from these types and their comments. */
export type WebhookBodies = {
  [T in EmittedType]: {
    type: T;
    created_at: string;
    data: EventData[T];
  };
};

/** An event with the values for its routing. `key` is the id (`em_…` or `wh_…`) whose events keep their order. */
export interface RoutedEvent<T extends EmittedType = EmittedType> {
  event: ServiceEvent<T>;
  key: string;
  /** Counts up per key, from 1. */
  sequence: number;
  domainId: string | null;
  /** The API key that submitted the message; null for other events and for messages of the service itself. Never public. */
  apiKeyId: string | null;
  /** Test events appear on webhooks and in logs, never in statistics. Those of the service's own mail count as such. */
  test: boolean;
}

/** Whether an event is about login mail of the service, which only persons of the account see. Tolerates any `data`. */
export function isAboutLoginMail({ apiKeyId, event }: Pick<RoutedEvent, 'apiKeyId' | 'event'>): boolean {
  const tags = (event.data as { tags?: Record<string, unknown> | null } | null)?.tags;
  return apiKeyId === null && event.type.startsWith('email.') && tags?.['notice'] === 'login';
}

/** An event and its position in the log. Positions have no gaps: 1, 2, 3, … */
export interface LoggedEvent extends RoutedEvent {
  position: number;
}
