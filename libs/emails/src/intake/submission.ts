import type { Mode } from '#libs/contracts';
import type { FoundFile, Mailbox } from '#libs/mime';
import type { HostedUnsubscribe } from '../unsubscribe/hosted-unsubscribe.js';

export interface Attachment {
  /** As the recipient sees it, with extension. */
  filename: string;
  contentType: string;
  /** Present for an inline file that the HTML names by `cid:`. */
  contentId?: string;
  content: Buffer;
  /** Where the file is still to be fetched from; until then it has no content. */
  path?: string;
}

/** What a REST client gives: the parts, from which the message is composed at the first attempt. */
export interface PartsContent {
  format: 'parts';
  html?: string;
  text?: string;
  headers: [name: string, value: string][];
  attachments: Attachment[];
}

/** What an SMTP client gives: the message itself, normalised, without Bcc and control headers. */
export interface MimeContent {
  format: 'mime';
  message: Buffer;
  messageId: string;
  /** Its files, still to be judged; absent where an earlier mail had the same. */
  files?: readonly FoundFile[];
}

/** One mail as any door hands it to the intake: REST, façade and SMTP all build this. */
export interface Submission {
  accountId: string;
  keyId: string;
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
  /** Ids of the domains that the key may send from; null or absent: every active domain of the account. */
  allowedDomains?: ReadonlySet<string> | null;
  /**
   * What becomes of suppressed recipients: they refuse the whole mail (the default), or are left out of it (D-21), or are
   * left out as long as somebody else is in it.
   */
  suppressed?: 'reject' | 'skip' | 'skip_some';
  /** How long delivery is tried after the mail is due; absent: DELIVERY_LIFETIME. */
  lifetimeSeconds?: number;
  /** The outcome that a test mail asked for (details §7); absent: by its addresses. */
  sandboxResult?: string;
  /** Each recipient gets a link of ours to unsubscribe at; absent: what the content says. */
  unsubscribe?: HostedUnsubscribe;
  /** The failed mail that this one repeats. */
  retryOf?: string;
  /** Of `performance.now()`: when the door itself asked for every recipient's suppression, as the relay does at RCPT. */
  suppressionsAskedAt?: number;
}

export interface Idempotency {
  /** Account, mode and operation: the same key elsewhere is another key. */
  scope: string;
  /** A second scope in which the mail, or a repetition of it, may come. */
  alias?: string;
  key: string;
  /** SHA-256 of the raw body; null where the key alone decides (SMTP). */
  bodyHash: Buffer | null;
}

export interface Accepted {
  id: string;
  /** True when an earlier request with this idempotency key was answered again. */
  replayed: boolean;
}

/** One mail of a batch: its id, or why it was refused. Kept as it is under an idempotency key. */
export type BatchElement =
  { id: string } | { refused: { error: string; name: string; status: number; message: string; field: string | null } };

export interface AcceptedBatch {
  /** In the order of submission. */
  elements: BatchElement[];
  replayed: boolean;
}
