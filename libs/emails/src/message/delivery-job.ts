import type { EmailInfo } from './email-events.js';
import type { HostedUnsubscribe } from './unsubscribe-link.js';

/** Tracking of a message, as decided at accept. */
export interface Tracking {
  opens: boolean;
  clicks: boolean;
}

/** One recipient claimed by the worker of this process. */
export interface ClaimedRecipient {
  ordinal: number;
  address: string;
  /** Number of completed attempts. */
  attempts: number;
  /** Grows with each claim: a settle with an older fence has no effect. */
  fence: number;
  expiresAt: Date;
  /** Enhanced code of the previous attempt, if any. */
  previousEnhanced: string | null;
}

/** The content of an email as stored in `email_contents`. */
export interface StoredContent {
  format: 'mime' | 'parts';
  body: Buffer;
}

/** One email to one recipient domain: the unit that the courier delivers. */
export interface DeliveryJob {
  email: EmailInfo & {
    cc: string[];
    replyTo: string[];
    recipientCount: number;
    /** The sequence number of its last event at the time of the claim; later events may exist. */
    sequence: number;
    /** The requested outcome of a test email; null: by its addresses. */
    sandboxResult: string | null;
    /**
     * Each recipient has an unsubscribe link provided by the service; the job then has one recipient. Null: no such
     * link.
     */
    unsubscribe: HostedUnsubscribe | null;
    /** Null: neither opens nor clicks. Otherwise each recipient has links of its own; the job then has one recipient. */
    tracking: Tracking | null;
    /** `traceparent` of the span in which it was accepted; null: tracing was off. */
    traceContext: string | null;
    /** The time at which it was first due: the Date of the message at every attempt. */
    releasedAt: Date;
  };
  domain: string;
  /** Of the account, in the turns at its destination. */
  weight: number;
  /** It yields to other email of its account. */
  isBulk: boolean;
  recipients: ClaimedRecipient[];
  /** The epoch of the worker in which it was claimed, see `Worker.epoch`. */
  epoch: number;
  /** Present if the job was passed in memory. */
  content?: StoredContent;
  /** Bytes reserved for it by `LocalDelivery`. */
  reservedBytes: number;
}
