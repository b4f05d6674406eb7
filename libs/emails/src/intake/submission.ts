import type { Mode } from '#libs/contracts';
import type { Mailbox } from '#libs/mime';
import type { MimeContent, PartsContent } from '../message/submitted-content.js';
import type { EmailView } from '../email.resource.js';
import type { HostedUnsubscribe } from '../message/unsubscribe-link.js';

/** One email as REST, the Resend-compatible routes and SMTP pass it to the intake. */
export interface Submission {
  accountId: string;
  /** The API key of the caller; null for messages of the service itself. */
  keyId: string | null;
  mode: Mode;
  source: 'rest' | 'smtp' | 'facade' | 'service';
  from: Mailbox;
  to: Mailbox[];
  cc: Mailbox[];
  bcc: Mailbox[];
  replyTo: Mailbox[];
  subject: string;
  tags: Record<string, string>;
  content: PartsContent | MimeContent;
  /** Null: now. */
  scheduledAt: Date | null;
  idempotency: Idempotency | null;
  /** Ids of the domains that the key may send from; null or absent: all active domains of the account. */
  allowedDomains?: ReadonlySet<string> | null;
  /**
   * Handling of suppressed recipients: the whole email is refused (default), they are left out, or they are left out as
   * long as another recipient remains (docs/decisions/022-suppressions.md).
   */
  suppressed?: 'reject' | 'skip' | 'skip_some';
  /** Absent: transactional. */
  priority?: EmailView['priority'];
  /** How long delivery is attempted after the email is due; absent: DELIVERY_LIFETIME. */
  lifetimeSeconds?: number;
  /** The requested outcome of a test email; absent: by its addresses. */
  sandboxResult?: string;
  /** Each recipient gets an unsubscribe link provided by the service; absent: the content is not changed. */
  unsubscribe?: HostedUnsubscribe;
  /** Overrides the settings of the sending domain; a missing member means the setting. */
  tracking?: { opens?: boolean; clicks?: boolean };
  /** Returns a signal that is aborted when the client has left: files given by `path` are not fetched any more. */
  signal?: () => AbortSignal;
  /** The failed email that this one repeats. */
  retryOf?: string;
  /** The message contains a link that logs in its recipient; only the service itself sends such. */
  isLoginMail?: boolean;
  /** `performance.now()` of a suppression lookup for every recipient made by the caller, as the relay does at RCPT. */
  suppressionsAskedAt?: number;
}

export interface Idempotency {
  /** Account, mode and operation: the same key in another scope is another key. */
  scope: string;
  /** A second scope in which the email, or a repetition of it, may be submitted. */
  alias?: string;
  key: string;
  /** SHA-256 of the raw body; null if the key alone decides (SMTP). */
  bodyHash: Buffer | null;
}

export interface Accepted {
  id: string;
  /** True if the stored answer of an earlier request with this idempotency key was returned. */
  replayed: boolean;
}

/** One email of a batch: its id, or the refusal. Stored in this form under an idempotency key. */
export type BatchElement =
  | { id: string }
  | { refused: { error: string; name: string; status: number; message: string; field: string | null } };

export interface AcceptedBatch {
  /** In the order of submission. */
  elements: BatchElement[];
  replayed: boolean;
}
