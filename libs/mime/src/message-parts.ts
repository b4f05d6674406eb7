import type { Mailbox } from './mailbox.js';

/** A file of a mail. `contentType` is `type/subtype`, at most with parameters; `contentId` without angle brackets. */
export interface MessageAttachment {
  filename: string;
  contentType: string;
  contentId?: string;
  content: Buffer;
}

/** All that goes into one composed message. Bcc has no place here: those recipients exist in the envelope only. */
export interface MessageParts {
  /** With or without its angle brackets. */
  messageId: string;
  date: Date;
  from: Mailbox;
  to: Mailbox[];
  cc: Mailbox[];
  replyTo: Mailbox[];
  /** Decoded text; it appears to the reader exactly so, also where it looks like an encoded word. */
  subject: string;
  html?: string;
  text?: string;
  /** Further header fields in order; names that the other members produce are refused. */
  headers: [name: string, value: string][];
  attachments: MessageAttachment[];
  /** Any text that differs per message; the MIME boundaries are derived from it. */
  boundarySeed: string;
}
