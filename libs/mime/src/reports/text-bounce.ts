import { addressInField, firstAddress } from './find-address.js';
import type { DeliveryStatus, DsnAction } from './inbound-report.js';
import { fieldValue, type ReportField } from './lenient-head.js';
import { isFile, partLines } from './part-text.js';
import {
  AUTOMATIC_SUBJECT,
  BOUNCE_OPENING,
  DELAYED,
  DELIVERED,
  FAILED,
  foldText,
  NO_MORE_ATTEMPTS,
  PERMANENT_REPLY,
} from './phrases.js';
import type { ReportMessage, Steps } from './report-parts.js';
import { isAutomatic, isFromMailServer, isReplyOrForward } from './report-sender.js';
import { findReturnedCopy, quotedFields, returnedFields } from './returned-mail.js';
import { aliasOriginOf, aliasOriginsIn, recipientsInText, type TextBounceRecipient } from './text-bounce-recipients.js';

export interface ReportText {
  /** The text of the report itself, without the returned copy and without quotations. */
  lines: string[];
  /** Head of the returned copy after it. */
  quoted: ReportField[];
}

const MAX_CHARACTERS = 128 * 1024;
const MAX_LINE = 2_000;
const MAX_TEXTS = 10;
const MAX_LINES = 5_000;
const QUOTATION = /^\s{0,3}>(?!>)/;

/** The text for people: the plain parts, or the HTML parts where all plain ones are empty. */
export function* readReportText({ parts }: ReportMessage): Steps<ReportText> {
  const [texts, html] = ['text/plain', 'text/html'].map((wanted) =>
    parts.filter((part) => part.type === wanted && !isFile(part)),
  );
  const chosen = texts.some(({ body }) => body.length > 0) ? texts : html;
  const lines: string[] = [];
  for (const part of chosen.slice(0, MAX_TEXTS)) {
    lines.push(...partLines(part).slice(0, MAX_LINES - lines.length));
    yield;
  }
  const copyAt = findReturnedCopy(lines);
  return { lines: ownLines(lines.slice(0, copyAt)), quoted: quotedFields(lines, copyAt) };
}

function ownLines(lines: readonly string[]): string[] {
  let charactersLeft = MAX_CHARACTERS;
  const kept: string[] = [];
  for (const line of lines) {
    if (charactersLeft <= 0) break;
    if (!QUOTATION.test(line)) kept.push(line.slice(0, MAX_LINE));
    charactersLeft -= Math.min(line.length, MAX_LINE) + 1;
  }
  return kept;
}

/** The claims of a sender about itself. They decide how much of the text is believed. */
interface Sender {
  mailServer: boolean;
  /** Opening words or a field that only bounces have. */
  bounceMark: boolean;
  /** An automatic reply (RFC 3834). Some servers declare their bounces as such too. */
  automatic: boolean;
}

/** Reads a bounce that consists of text for people; null where the message is not one. */
export function readTextBounce(report: ReportMessage, { lines, quoted }: ReportText): DeliveryStatus[] | null {
  const subject = foldText(fieldValue(report.fields, 'subject').slice(0, 500));
  const text = foldText(lines.join(' '));
  const failed = addressesIn(fieldValue(report.fields, 'x-failed-recipients'));
  const sender: Sender = {
    mailServer: isFromMailServer(report),
    bounceMark: failed.length > 0 || BOUNCE_OPENING.test(text),
    automatic: isAutomatic(report, lines),
  };
  if (!sender.mailServer && !isBounceSender(report, sender, FAILED.test(subject) && FAILED.test(text))) return null;
  const refused = sender.mailServer && !sender.automatic && !isReplyOrForward(report) && PERMANENT_REPLY.test(text);
  const action = actionInText(`${subject} . ${text}`, refused || failed.length > 0);
  if (action === null) return null;
  // Without an address, a code and the returned mail, the message may be anything, such as an advertisement.
  const isReturned = quoted.length > 0 || returnedFields(report).length > 0;
  const recipients = recipientsInText(lines, ownAddresses(report), failed).filter(
    (one) =>
      isCredible(one, sender) && (isReturned || one.address !== null || one.smtpCode !== null || one.status !== null),
  );
  if (recipients.length === 0) return null;
  const origins = aliasOriginsIn(lines);
  return recipients.map(({ address, status, ...reply }) => ({
    action,
    finalRecipient: address,
    originalRecipient: aliasOriginOf(origins, address),
    ...reply,
    // A delayed message has not failed, whatever the reply to the last attempt was.
    status: action === 'delayed' && status?.startsWith('5.') === true ? null : status,
  }));
}

/** An address belongs to a failure that is mentioned at most this many lines before or after it. */
const LINES_AROUND = 3;
const MAX_NAMED = 100;

/**
 * The addresses of other people to which an automatic reply says that a message could not be delivered. Some gateways
 * declare their bounces as automatic replies, but anybody's vacation notice looks the same, so a person has to judge it.
 */
export function failedInAutomaticReply(report: ReportMessage, { lines }: ReportText): string[] {
  const own = ownAddresses(report);
  const subject = fieldValue(report.fields, 'subject').slice(0, 500);
  // The Subject of a reply is that of the message that it answers.
  const isOwnSubject = !isReplyOrForward(report) && !AUTOMATIC_SUBJECT.test(foldText(subject));
  const found = isOwnSubject && FAILED.test(foldText(subject)) ? addressesIn(subject) : [];
  for (const [i, line] of lines.entries()) {
    if (found.length >= MAX_NAMED) break;
    const address = firstAddress(line);
    if (address === null || own.has(address.toLowerCase())) continue;
    const around = lines.slice(Math.max(0, i - LINES_AROUND), i + LINES_AROUND + 1).join(' ');
    if (FAILED.test(foldText(around))) found.push(address);
  }
  return [...new Set(found)].filter((address) => !own.has(address.toLowerCase()));
}

/** Bounces come from addresses of all kinds, but replies, automatic replies and forwarded bounces are not bounces. */
function isBounceSender(report: ReportMessage, { bounceMark, automatic }: Sender, saysFailed: boolean): boolean {
  if (isReplyOrForward(report)) return false;
  return bounceMark || (saysFailed && !automatic);
}

/**
 * People and automatic replies write "not delivered" as well, for example about parcels. A sender without another mark of
 * a mail server has to quote a reply, and a sender that is not a mail server has to name an address other than its own.
 */
function isCredible(
  { address, smtpCode }: TextBounceRecipient,
  { mailServer, bounceMark, automatic }: Sender,
): boolean {
  if (!mailServer && address === null) return false;
  return bounceMark || (mailServer && !automatic) || smtpCode !== null;
}

function actionInText(text: string, hasFailed: boolean): DsnAction | null {
  if (DELIVERED.test(text) && !FAILED.test(text)) return null;
  if (DELAYED.test(text) && !NO_MORE_ATTEMPTS.test(text)) return 'delayed';
  return hasFailed || FAILED.test(text) || BOUNCE_OPENING.test(text) ? 'failed' : null;
}

function ownAddresses({ fields }: ReportMessage): Set<string> {
  const names = ['from', 'to', 'return-path', 'sender', 'reply-to'];
  return new Set(
    names.flatMap((name) => addressesIn(fieldValue(fields, name))).map((address) => address.toLowerCase()),
  );
}

function addressesIn(value: string): string[] {
  return value
    .slice(0, 20_000)
    .split(/[,;\s]{1,100}/)
    .flatMap((piece) => addressInField(piece) ?? []);
}
