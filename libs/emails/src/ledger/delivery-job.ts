import type { MailFacts } from '../email-events.js';
import type { HostedUnsubscribe } from '../unsubscribe/hosted-unsubscribe.js';

/** One recipient under our claim. */
export interface ClaimedRecipient {
  ordinal: number;
  address: string;
  /** Attempts that ended before this one. */
  attempts: number;
  /** Grows with each claim: a settle under an older fence changes nothing. */
  fence: number;
  expiresAt: Date;
  /** Enhanced code of the previous attempt, where there was one. */
  previousEnhanced: string | null;
}

/** What is stored of a mail's body; see `email_contents`. */
export interface StoredContent {
  format: 'mime' | 'parts';
  body: Buffer;
}

/** One mail to one recipient domain: what the courier gets at once. */
export interface DeliveryJob {
  mail: MailFacts & {
    cc: string[];
    replyTo: string[];
    recipientCount: number;
    /** The number of its last event when it was claimed; there may be later ones. */
    sequence: number;
    /** The outcome that a test mail asked for (details §7); null: by its addresses. */
    sandboxResult: string | null;
    /** The recipients unsubscribe at a link of ours, each at his own: then a job has one recipient. Null: they do not. */
    unsubscribe: HostedUnsubscribe | null;
    /** When it was due first: the Date of the message, at every attempt. */
    releasedAt: Date;
  };
  domain: string;
  recipients: ClaimedRecipient[];
  /** The life of our worker in which it was claimed (see `Worker.life`). */
  life: number;
  /** Present when the job came by the hand-off in memory. */
  content?: StoredContent;
  /** What the hand-off counted for it. */
  reservedBytes: number;
}
