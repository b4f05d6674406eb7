import type { FoundFile } from './find-files.js';
import type { Mailbox } from './mailbox.js';

/** A relayed message as it will be sent, and what its header block says. */
export interface RelayedMessage {
  /**
   * The message in pieces, which are views of what came: CRLF line ends; byte-exact but for removed control fields and added
   * `Date` and `Message-ID`. One piece where nothing is changed.
   */
  pieces: Buffer[];
  /** Views of what came. */
  files: FoundFile[];
  from: Mailbox;
  /** Who is shown, as written: each is for `readAddressEntry`, in turns where there are many. */
  to: string[];
  cc: string[];
  replyTo: string[];
  /** Decoded. */
  subject: string;
  /** With its angle brackets; the sender's own if there was one. */
  messageId: string;
  /** From `X-Service-Tag-<key>`; keys in lower case, since clients change that of header names on the way. */
  tags: Record<string, string>;
  idempotencyKey?: string;
  /** `X-Service-Scheduled-At`, unparsed. */
  scheduledAt?: string;
  /** `X-Service-Track`, unparsed. */
  track?: string;
  /** `X-Service-List-Unsubscribe`, unparsed. */
  listUnsubscribe?: string;
  /** It has a `List-Unsubscribe` or `List-Unsubscribe-Post` of its own. */
  hasListUnsubscribe: boolean;
  /** Names of `X-Service-…` fields that mean nothing here, as written; they are removed all the same. */
  unknownControls: string[];
  /** The header block has octets over 127, so the next server must offer SMTPUTF8 (RFC 6531). */
  smtputf8: boolean;
  /** The body has octets over 127, so the next server must offer 8BITMIME (RFC 6152). */
  eightBit: boolean;
}

/** Why a message is not relayed, in the words of an SMTP reply. `field` is the header at fault, where there is one. */
export interface RelayProblem {
  problem: string;
  code: 550 | 554;
  enhanced: '5.4.6' | '5.6.0' | '5.7.1';
  field?: string;
}

/** What is added where the message lacks it. */
export interface RelayOptions {
  /** Makes a whole id, or its left half: then the domain of `From` follows behind an @. */
  messageId: () => string;
  /** When it leaves, for what is asked in `scheduledAt`. */
  date: (scheduledAt: string | undefined) => Date;
}
