import type { Mode } from './email-status.js';
import type { EmittedType, EventType, ServiceEvent } from './events.js';

/**
 * The values of Kafka records, as JSON. `asyncapi.yaml` is generated from these types and their comments. Within a version
 * fields are added, never removed or changed; see docs/kafka.md.
 */
export const RECORD_SCHEMA_VERSION = 1;

/** An event with the fields that place it. */
export interface EventRecord<T extends EmittedType = EmittedType> extends ServiceEvent<T> {
  /** The sending domain, `dom_…`; null for events without one. */
  domain_id: string | null;
  /** The API key that submitted the message, `key_…`; null for events without one. */
  api_key_id: string | null;
  /** Counts the events of one key from 1. */
  sequence: number;
  /** Position in the event log of the service. Positions have no gaps over all partitions together. */
  position: number;
  schema_version: 1;
  /** `test` for messages of test keys and of the sandbox. */
  mode: Mode;
  /**
   * The mailbox provider of the remote host, or of the recipient if the host is none of the known ones. Present if a host
   * replied.
   */
  provider?: string;
}

/** One event type per property. */
export type EventRecords = { [T in EmittedType]: EventRecord<T> };

/**
 * Every event with a position up to this one that belongs in the partition is before this record. Written once a second
 * while there are new events, to every partition.
 */
export interface PositionRecord {
  type: 'log.position';
  position: number;
  /** The number of partitions among which the events are divided. */
  partitions: number;
  schema_version: 1;
}

/** One attempt to deliver a message to one recipient. */
export interface AttemptRecord {
  /** `atm_…` */
  id: string;
  account_id: string;
  domain_id: string;
  email_id: string;
  /** The address of the recipient. */
  recipient: string;
  /** Counts the attempts for this recipient from 1. */
  number: number;
  outcome: 'delivered' | 'deferred' | 'bounced';
  /** Null if no server replied. */
  smtp_code: number | null;
  /** RFC 3463, such as `5.1.1`. */
  enhanced_code: string | null;
  /** Why the message was refused or deferred; null if it was delivered. */
  bounce_class: string | null;
  /** As in event records; null if no host was reached. */
  provider: string | null;
  /** Name and address of the remote host; null if none was found. */
  mx: string | null;
  ip: string | null;
  /** Such as `TLSv1.3`; null in plain text. */
  tls: string | null;
  started_at: string;
  ended_at: string;
  schema_version: 1;
}

/** One request to a webhook endpoint. */
export interface WebhookDeliveryRecord {
  /** `dlv_…`. All attempts to deliver one event to one endpoint have the same id: `id` and `attempt` identify a record. */
  id: string;
  account_id: string;
  webhook_id: string;
  /** The event in the body of the request. */
  event_id: string;
  /** The type under which the endpoint receives the event. */
  event_type: EventType;
  /** Counts the attempts of this delivery from 1. */
  attempt: number;
  /** HTTP status; null without a response. */
  status: number | null;
  /** Milliseconds until the status line, or until the attempt failed. */
  latency_ms: number;
  /** Null if the endpoint accepted the event. */
  error: string | null;
  /** When the attempt began. */
  at: string;
  schema_version: 1;
}
