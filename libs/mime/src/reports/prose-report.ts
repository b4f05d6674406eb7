import { isAutomatic } from './automatic-mail.js';
import { foldedLine } from './folded-line.js';
import type { DeliveryStatus, DsnAction } from './inbound-report.js';
import { partLines } from './part-text.js';
import { originOf, originsIn } from './prose-origins.js';
import { proseRecipients, type ProseRecipient } from './prose-recipients.js';
import { addressOfField } from './report-address.js';
import { fieldOf, type ReportField } from './report-fields.js';
import type { ReportTree } from './report-parts.js';
import { ARRIVED, DELAYED, FAILED, GIVEN_UP, OPENING, REFUSED } from './report-phrases.js';
import { isAnswer, isFromMailer } from './report-sender.js';
import { copyLine, quotedFields, returnedFields } from './returned-mail.js';

export interface Prose {
  /** What the report itself says; the returned copy and what is quoted from elsewhere are cut off. */
  lines: string[];
  /** Head of the copy behind it. */
  quoted: ReportField[];
}

const MAX_CHARACTERS = 128 * 1024;
const MAX_LINE = 2_000;
const MAX_TEXTS = 10;
const MAX_LINES = 5_000;
const QUOTATION = /^\s{0,3}>(?!>)/;

/** The text for people: the plain parts, else those of HTML. */
export function proseOf({ parts }: ReportTree): Prose {
  const texts = parts.filter(({ type }) => type === 'text/plain');
  const html = parts.filter(({ type }) => type === 'text/html');
  const chosen = texts.some(({ body }) => body.length > 0) ? texts : html;
  const whole = chosen
    .slice(0, MAX_TEXTS)
    .flatMap((part) => partLines(part))
    .slice(0, MAX_LINES);
  const copy = copyLine(whole);
  return { lines: bounded(whole.slice(0, copy)), quoted: quotedFields(whole, copy) };
}

function bounded(lines: readonly string[]): string[] {
  let left = MAX_CHARACTERS;
  const kept: string[] = [];
  for (const line of lines) {
    if (left <= 0) break;
    if (!QUOTATION.test(line)) kept.push(line.slice(0, MAX_LINE));
    left -= Math.min(line.length, MAX_LINE) + 1;
  }
  return kept;
}

/** Who wrote a text, as far as he shows it: what is believed of it depends on that. */
interface Writer {
  /** He says that he is a mail server. */
  mailer: boolean;
  /** Opening words or a field that only bounces have. */
  marked: boolean;
  /** A machine that answers mail (RFC 3834). Some servers call their bounces an answer too. */
  answering: boolean;
}

/** A bounce that only people were meant to read; null for what is none. */
export function proseStatus(tree: ReportTree, prose: Prose): DeliveryStatus[] | null {
  const subject = foldedLine(fieldOf(tree.fields, 'subject').slice(0, 500));
  const text = foldedLine(prose.lines.join(' '));
  const failed = addressesIn(fieldOf(tree.fields, 'x-failed-recipients'));
  const marked = failed.length > 0 || OPENING.test(text);
  const writer = { mailer: isFromMailer(tree), marked, answering: isAutomatic(tree, prose.lines) };
  if (!writer.mailer && !soundsLikeMailer(tree, writer, FAILED.test(subject) && FAILED.test(text))) return null;
  const refused = writer.mailer && !writer.answering && !isAnswer(tree) && REFUSED.test(text);
  const action = proseAction(`${subject} . ${text}`, refused || failed.length > 0);
  if (action === null) return null;
  // Without a name, a code and the mail itself it may be anybody's advertisement.
  const shown = prose.quoted.length > 0 || returnedFields(tree).length > 0;
  const told = proseRecipients(prose.lines, ownAddresses(tree), failed).filter(
    (one) => isQuoted(one, writer) && (shown || one.address !== null || one.smtpCode !== null || one.status !== null),
  );
  if (told.length === 0) return null;
  const origins = originsIn(prose.lines);
  return told.map(({ address, status, ...words }) => ({
    action,
    finalRecipient: address,
    originalRecipient: originOf(origins, address),
    ...words,
    // Nothing is final yet, whatever the words of the last attempt were.
    status: action === 'delayed' && status?.startsWith('5.') === true ? null : status,
  }));
}

/** Bounces come from addresses of all kinds; an answer, a machine's or a person's, and a forwarded bounce are none. */
function soundsLikeMailer(tree: ReportTree, { marked, answering }: Writer, failed: boolean): boolean {
  if (isAnswer(tree)) return false;
  return marked || (failed && !answering);
}

/**
 * "Not delivered" is also what people and their machines write: of parcels, of mail that nobody forwards. Who shows by
 * nothing else that he is a server has to quote one, and who is no server has to name somebody else than himself.
 */
function isQuoted({ address, smtpCode }: ProseRecipient, { mailer, marked, answering }: Writer): boolean {
  if (!mailer && address === null) return false;
  return marked || (mailer && !answering) || smtpCode !== null;
}

function proseAction(text: string, certain: boolean): DsnAction | null {
  if (ARRIVED.test(text) && !FAILED.test(text)) return null;
  if (DELAYED.test(text) && !GIVEN_UP.test(text)) return 'delayed';
  return certain || FAILED.test(text) || OPENING.test(text) ? 'failed' : null;
}

function ownAddresses({ fields }: ReportTree): Set<string> {
  const names = ['from', 'to', 'return-path', 'sender', 'reply-to'];
  return new Set(names.flatMap((name) => addressesIn(fieldOf(fields, name))).map((address) => address.toLowerCase()));
}

function addressesIn(value: string): string[] {
  return value
    .slice(0, 20_000)
    .split(/[,;\s]{1,100}/)
    .flatMap((piece) => addressOfField(piece) ?? []);
}
