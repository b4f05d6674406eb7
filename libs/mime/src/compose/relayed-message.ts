import type { FoundFile } from '../parse/find-files.js';
import type { Mailbox } from '../parse/mailbox.js';

/** A relayed message as it will be sent, and the values of its header fields. */
export interface RelayedMessage {
  /**
   * The message in pieces, which are views of the submitted message: CRLF line ends; unchanged except for removed fields
   * and added `Date` and `Message-ID`. One piece where nothing is changed.
   */
  pieces: Buffer[];
  /** Views of the submitted message. */
  files: FoundFile[];
  from: Mailbox;
  /** As written, each for `readAddressEntry`. Yield between entries where there are many. */
  to: string[];
  cc: string[];
  replyTo: string[];
  /** Decoded. */
  subject: string;
  /** With its angle brackets; that of the sender if there was one. */
  messageId: string;
  /** From `X-Service-Tag-<key>`; keys in lower case, because clients change the case of header names. */
  tags: Record<string, string>;
  idempotencyKey?: string;
  /** `X-Service-Scheduled-At`, unparsed. */
  scheduledAt?: string;
  /** `X-Service-Track`, unparsed. */
  track?: string;
  /** `X-Service-Priority`, unparsed. */
  priority?: string;
  /** `X-Service-List-Unsubscribe`, unparsed. */
  listUnsubscribe?: string;
  /** The message has its own `List-Unsubscribe` or `List-Unsubscribe-Post`. */
  hasListUnsubscribe: boolean;
  /** Names of unknown `X-Service-…` fields, as written. They are removed too. */
  unknownControls: string[];
  /** The header block has octets over 127, so the next server must offer SMTPUTF8 (RFC 6531). */
  smtputf8: boolean;
  /** The body has octets over 127, so the next server must offer 8BITMIME (RFC 6152). */
  eightBit: boolean;
}

/** Why a message is refused, for an SMTP reply. `field` is the invalid header, where there is one. */
export interface RelayProblem {
  problem: string;
  code: 550 | 554;
  enhanced: '5.4.6' | '5.6.0' | '5.7.1';
  field?: string;
}

export interface RelayOptions {
  /** `Authentication-Results` of this domain and of names below it are removed. */
  serviceDomain: string;
  /** Returns an id, or its left half, which is completed by an @ and the domain of `From`. */
  messageId: () => string;
  /** The time of sending, given the unparsed `scheduledAt`. */
  date: (scheduledAt: string | undefined) => Date;
}
