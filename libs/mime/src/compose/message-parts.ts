import type { Mailbox } from '../parse/mailbox.js';

/** An attached or embedded file. `contentType` may have parameters; `contentId` is without angle brackets. */
export interface MessageAttachment {
  filename: string;
  contentType: string;
  contentId?: string;
  content: Buffer;
}

/** The parts of a composed message. Bcc recipients are in the envelope only. */
export interface MessageParts {
  /** With or without its angle brackets. */
  messageId: string;
  date: Date;
  from: Mailbox;
  to: Mailbox[];
  cc: Mailbox[];
  replyTo: Mailbox[];
  /** Decoded text. Readers see it exactly so, even where it looks like an encoded word. */
  subject: string;
  html?: string;
  text?: string;
  /** Further header fields in order. Names of fields that the other members produce are refused. */
  headers: [name: string, value: string][];
  attachments: MessageAttachment[];
  /** Any text that differs per message; the MIME boundaries are derived from it. */
  boundarySeed: string;
}

/**
 * The parts cannot become a valid message. The rules of the API refuse such parts earlier; this is a second check. `field`
 * names the part (`subject`, `headers.X-Name`, `attachments[0].filename`).
 */
export class UnsendableMessage extends Error {
  constructor(
    readonly field: string,
    reason: string,
  ) {
    super(`${field} ${reason}`);
    this.name = 'UnsendableMessage';
  }
}
