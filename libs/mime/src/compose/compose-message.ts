import { createHash } from 'node:crypto';
import { attachmentTree } from './attachment-tree.js';
import {
  bracketed,
  cannotFold,
  foldedField,
  hasPhrases,
  isStructured,
  mailboxField,
  rfc5322Date,
  structuredField,
  textField,
} from './encode-header.js';
import { LITERAL_TEXT, encodePhrases } from './encode-phrases.js';
import { parseRecipient, type Mailbox } from '../parse/mailbox.js';
import type { MessageParts } from './message-parts.js';
import { normaliseLineEnds } from '../parse/line-ends.js';
import { textTree } from './text-tree.js';
import { UnsendableMessage } from './message-parts.js';

/*
 * Writes the header block; `textTree` writes the MIME tree below it, or nodemailer if there are files.
 *
 * Invariants: the same parts give the same bytes, so that a retry sends the bytes that were signed; CRLF only, no line over
 * 998 octets, no NUL; each singleton field exactly once. Every value that becomes a header is checked to be a string,
 * because objects in its place inject header lines.
 */

const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const FIELD_NAME = /^[!-9;-~]{1,76}$/; // RFC 5322 §3.6.8 ftext
const MESSAGE_ID = /^<[!-;=?-~]{1,900}>$/;

/** Fields that the other parts produce, that servers add on the way, or that are internal. */
const RESERVED = new Set(
  (
    'from to cc bcc sender subject date message-id mime-version return-path received dkim-signature ' +
    'authentication-results delivered-to apparently-to x-original-to'
  ).split(' '),
);
const RESERVED_PREFIX = ['content-', 'resent-', 'arc-', 'x-service-', 'x-postloft-'];

/**
 * Builds the complete message, ended by CRLF. Takes about 0.05 ms of CPU time for 2 kB without files.
 * @throws UnsendableMessage where a part cannot be expressed; apart from line ends nothing is dropped or repaired.
 */
export async function composeMessage(parts: MessageParts): Promise<Buffer> {
  const head = ownFields(parts);
  const text = bodyText('text', parts.text);
  const html = bodyText('html', parts.html);
  const boundary = boundaryBase(parts.boundarySeed, text, html);
  const { fields, body } =
    parts.attachments.length === 0
      ? textTree(text, html, `=_-${boundary}`)
      : await attachmentTree({ text, html, attachments: parts.attachments, boundary });
  return assertSendable(Buffer.concat([Buffer.from(`${head}MIME-Version: 1.0\r\n${fields}\r\n`, 'utf8'), body]));
}

/** Why a header field of the caller cannot be sent as given, or undefined. `composeMessage` enforces the same rule. */
export function headerProblem(name: string, value: string): string | undefined {
  if (typeof name !== 'string' || !FIELD_NAME.test(name)) return 'must have a name of at most 76 characters';
  const key = name.toLowerCase();
  if (RESERVED.has(key) || RESERVED_PREFIX.some((prefix) => key.startsWith(prefix)))
    return 'must not be set: the header is reserved';
  if (typeof value !== 'string' || value.trim() === '') return 'must not be empty';
  if (CONTROL.test(value)) return 'must not contain line breaks or control characters';
  if (key === 'reply-to') return mailboxProblem(value);
  return isStructured(key) ? structuredProblem(key, value) : undefined;
}

function structuredProblem(key: string, value: string): string | undefined {
  const phrased = hasPhrases(key);
  const plain = phrased ? encodePhrases(key, value, LITERAL_TEXT) : value;
  if (plain === null || /[^\x20-\x7e]/.test(plain))
    return phrased ? 'must be ASCII but for names and comments' : 'must be ASCII';
  return cannotFold(key, plain) ? 'has a stretch of more than 900 characters without a space' : undefined;
}

function mailboxProblem(value: string): string | undefined {
  const mailbox = parseRecipient(value, { comments: 'read' });
  return 'problem' in mailbox ? mailbox.problem : undefined;
}

function ownFields(parts: MessageParts): string {
  checkText('subject', parts.subject);
  const id = bracketed(parts.messageId);
  if (!MESSAGE_ID.test(id)) throw new UnsendableMessage('messageId', 'is no valid message id');
  if (Number.isNaN(parts.date.getTime())) throw new UnsendableMessage('date', 'is no date');
  const seen = new Set<string>(parts.replyTo.length === 0 ? [] : ['reply-to']);
  const custom = parts.headers.map(([name, value]) => customField(seen, name, value));
  const nobody = parts.to.length === 0 && parts.cc.length === 0;
  return [
    mailboxField('From', checkMailboxes('from', [parts.from])),
    nobody ? 'To: undisclosed-recipients:;\r\n' : optionalList('To', parts.to),
    optionalList('Cc', parts.cc),
    optionalList('Reply-To', parts.replyTo),
    textField('Subject', parts.subject),
    `Message-ID: ${id}\r\n`,
    `Date: ${rfc5322Date(parts.date)}\r\n`,
    ...custom,
  ].join('');
}

function customField(seen: Set<string>, name: string, value: string): string {
  const problem = headerProblem(name, value) ?? (seen.has(name.toLowerCase()) ? 'is given twice' : undefined);
  if (problem) throw new UnsendableMessage(`headers.${printable(name)}`, problem);
  seen.add(name.toLowerCase());
  const mailbox = name.toLowerCase() === 'reply-to' ? parseRecipient(value, { comments: 'read' }) : undefined;
  if (mailbox && !('problem' in mailbox)) return mailboxField('Reply-To', [mailbox]);
  if (hasPhrases(name)) return foldedField(name, encodePhrases(name, value, LITERAL_TEXT) ?? value);
  return isStructured(name) ? structuredField(name, value) : textField(name, value.trim());
}

function optionalList(name: string, mailboxes: Mailbox[]): string {
  return mailboxes.length === 0 ? '' : mailboxField(name, checkMailboxes(name.toLowerCase(), mailboxes));
}

function checkMailboxes(field: string, mailboxes: Mailbox[]): Mailbox[] {
  for (const { name, address } of mailboxes) {
    checkText(field, name);
    const read = parseRecipient(address);
    if ('problem' in read) throw new UnsendableMessage(field, read.problem);
    if (read.address !== address) throw new UnsendableMessage(field, 'must be a plain address in its normal form');
  }
  return mailboxes;
}

function checkText(field: string, value: string): void {
  if (typeof value !== 'string') throw new UnsendableMessage(field, 'must be text');
  if (CONTROL.test(value)) throw new UnsendableMessage(field, 'must not contain line breaks or control characters');
}

/**
 * Derived from the seed and the texts, so that no text can contain its own boundary. The trees prefix it with `=_`, which
 * cannot occur in quoted-printable or base64 (RFC 2045 §6.7).
 */
function boundaryBase(seed: string, text: string, html: string): string {
  return createHash('sha256').update(`${seed}\n${text.length}\n${text}`).update(html).digest('hex').slice(0, 24);
}

/** The text with CRLF line ends (RFC 2046 §4.1.1); '' if there is none. */
function bodyText(field: string, text: string | undefined): string {
  if (text === undefined) return '';
  if (typeof text !== 'string') throw new UnsendableMessage(field, 'must be text');
  return text.includes('\n') || text.includes('\r') ? text.replace(/\r\n|\r|\n/g, '\r\n') : text;
}

/** Last check: a composed message obeys the same rules as a relayed one. */
function assertSendable(message: Buffer): Buffer {
  const checked = normaliseLineEnds(message);
  if ('problem' in checked) throw new UnsendableMessage('message', checked.problem);
  if (checked.message !== message) throw new UnsendableMessage('message', 'has line ends other than CRLF');
  return message;
}

function printable(name: unknown): string {
  return String(name)
    .slice(0, 80)
    .replace(/[^!-~]/g, '?');
}
