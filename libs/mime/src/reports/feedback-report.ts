import type { InboundReport, ReturnedMail } from './inbound-report.js';
import { fieldOf, readHead, type ReportField } from './report-fields.js';
import type { ReportPart, ReportTree } from './report-parts.js';
import { returnedFields, returnedOf } from './returned-mail.js';

export type FeedbackReport = Extract<InboundReport, { kind: 'feedback' }>;

const FEEDBACK = 'message/feedback-report';
/** One of these stands beside `Feedback-Type` in every report, so that a mail which only mentions that word is none. */
const COMPANIONS = ['user-agent', 'version', 'original-mail-from', 'original-rcpt-to', 'source-ip', 'reported-domain'];
/** In the order in which they are believed. The second is Microsoft's, the third of the drafts before RFC 5965. */
const RECIPIENT_FIELDS = ['original-rcpt-to', 'x-hmxmroriginalrecipient', 'removal-recipient'];
/** Written by the server that delivered; for reports that name nobody. */
const DELIVERY_FIELDS = ['x-original-to', 'delivered-to', 'x-delivered-to', 'envelope-to', 'x-envelope-to'];
const SENDER_FIELDS = ['original-mail-from', 'return-path', 'x-envelope-from', 'envelope-from', 'x-original-mail-from'];
const HEAD_FIELDS = ['message-id', 'x-postloft-ref', 'return-path'];

/** A report has three parts, and the fields that count stand at the beginning of theirs. */
const MAX_PARTS = 20;
const MAX_HEAD = 32 * 1024;

const WORD = /^[a-z0-9][a-z0-9-]{0,60}/i;
const ADDRESSES = /[^\s<>,;:"]{1,250}@[^\s<>,;:"]{1,250}/g;
const FROM_DOMAIN = /@([a-z0-9.-]{1,250}[a-z0-9])\W{0,10}$/i;
/** Of a field; what is longer names nobody. */
const MAX_VALUE = 2_000;
/** Of 33 octets in base64url. */
const TRACE = /x-postloft-ref:[\s>|]{0,20}([a-z0-9_-]{44})(?![a-z0-9_-])/i;
const BLANK_LINES = /(?:\r{0,4}\n){2,}/g;
const LEADING_LINES = /^(?:\r{0,4}\n)+/;

/** X-ARF, which says the same in other words. */
const XARF_TYPES: Readonly<Record<string, string>> = {
  spam: 'abuse',
  phishing: 'fraud',
  fraud: 'fraud',
  malware: 'virus',
};
/** Subjects under which abuse desks and older loops send a complaint: the mail attached, not a word for programs. */
const COMPLAINT_SUBJECT =
  /^(?:\W{0,4}(?:fwd?|wg|tr)\W{1,3})?\W{0,4}(?:complaint about message from|(?:e-?mail )?(?:abuse|spam|junk|phishing|feedback)(?: e?-?mail)? (?:report|complaint|notification)|(?:abuse|spam|junk|phishing) reported)\b/i;
const DENIAL = /\bnot[ -]?(?:spam|junk|abuse|phish\w*)|false[ -]positive|\bham\b/i;
const FRAUD = /phish|fraud/i;

/**
 * A complaint report (RFC 5965, redacted ones of RFC 6590 too) and what mail systems send in its place: the fields in a part
 * of another type, Microsoft's attached mail, X-ARF, an abuse desk's forwarded mail. Null for everything else.
 */
export function readFeedbackReport(tree: ReportTree): FeedbackReport | null {
  if (tree.parts.some(({ type }) => type.endsWith('/delivery-status'))) return null;
  const heads = tree.parts.slice(0, MAX_PARTS).map((part) => ({ part, fields: fieldsOfBody(part) }));
  const source = feedbackPart(heads);
  const returned = returnedHead(
    tree,
    heads.filter(({ part }) => part !== source?.part),
  );
  const feedbackType = source?.feedbackType ?? forwardedType(tree, returned);
  if (feedbackType === null) return null;
  const facts = source?.fields ?? [];
  return {
    kind: 'feedback',
    feedbackType,
    userAgent: fieldOf(facts, 'user-agent') || null,
    reporter: FROM_DOMAIN.exec(fieldOf(tree.fields, 'from').slice(0, MAX_VALUE))?.[1].toLowerCase() ?? null,
    recipients: recipientsOf([...facts, ...returned, ...tree.fields], returned),
    returned: returnedMail(tree, facts, returned),
  };
}

/** A part and the fields that its body begins with. */
interface PartHead {
  part: ReportPart;
  fields: ReportField[];
}

/** The part with the fields for programs, whatever type it has been given. */
function feedbackPart(heads: readonly PartHead[]): (PartHead & { feedbackType: string }) | null {
  const named = heads.find((head) => isFeedback(head) && fieldOf(head.fields, 'feedback-type') !== '');
  const found = named ?? heads.find(({ fields }) => typeOf(fields) !== null) ?? heads.find(isFeedback);
  // RFC 5965 §7.3: what says nothing is something else.
  return found === undefined ? null : { ...found, feedbackType: typeOf(found.fields) ?? 'other' };
}

const isFeedback = ({ part }: PartHead): boolean => part.type === FEEDBACK;

function typeOf(fields: readonly ReportField[]): string | null {
  const names = new Set(fields.map(({ name }) => name));
  if (names.has('feedback-type') && COMPANIONS.some((name) => names.has(name)))
    return WORD.exec(fieldOf(fields, 'feedback-type'))?.[0].toLowerCase() ?? null;
  if (!names.has('report-type') || !names.has('reported-from')) return null;
  return XARF_TYPES[fieldOf(fields, 'report-type').toLowerCase()] ?? 'other';
}

/** Blank lines before the fields, and between those of a body that has nothing else, end nothing. */
function fieldsOfBody({ type, body }: ReportPart): ReportField[] {
  const text = body.toString('latin1', 0, MAX_HEAD).replace(LEADING_LINES, '');
  return readHead(Buffer.from(type === FEEDBACK ? text.replace(BLANK_LINES, '\n') : text, 'latin1')).fields;
}

/** The returned mail's head, also out of a part that is called a text or a file. */
function returnedHead(tree: ReportTree, heads: readonly PartHead[]): ReportField[] {
  const declared = returnedFields(tree);
  if (declared.length > 0) return declared;
  return heads.find(({ fields }) => HEAD_FIELDS.some((name) => fieldOf(fields, name) !== ''))?.fields ?? [];
}

/** Of a complaint without fields for programs: the type that its Subject speaks of. */
function forwardedType({ fields }: ReportTree, returned: readonly ReportField[]): string | null {
  if (returned.length === 0) return null;
  if (fieldOf([...fields, ...returned], 'x-hmxmroriginalrecipient') !== '') return 'abuse';
  const subject = fieldOf(fields, 'subject');
  if (!COMPLAINT_SUBJECT.test(subject) || DENIAL.test(subject)) return null;
  return FRAUD.test(subject) ? 'fraud' : 'abuse';
}

function recipientsOf(fields: readonly ReportField[], returned: readonly ReportField[]): string[] {
  const named = RECIPIENT_FIELDS.map((name) => fields.filter((field) => field.name === name)).find(
    (found) => found.length > 0,
  );
  const found = named ?? returned.filter(({ name }) => DELIVERY_FIELDS.includes(name));
  return [...new Set(found.flatMap(addressesOf))];
}

const addressesOf = ({ value }: ReportField): string[] => value.slice(0, MAX_VALUE).match(ADDRESSES) ?? [];

function returnedMail(tree: ReportTree, facts: readonly ReportField[], returned: readonly ReportField[]): ReturnedMail {
  const known = returnedOf(returned);
  const senders = [...facts, ...returned].filter(({ name }) => SENDER_FIELDS.includes(name)).flatMap(addressesOf);
  return {
    messageId: known.messageId,
    trace: known.trace ?? traceInText(tree),
    // A forwarder puts an address of its own in front of the one under which the mail went out.
    returnPath: senders.find((address) => /^b\+/i.test(address)) ?? senders[0] ?? null,
  };
}

/** Of a mail that is quoted, nested or wrongly labelled; its MAC says whether it is one. */
function traceInText({ parts }: ReportTree): string | null {
  for (const { body } of parts) {
    const found = TRACE.exec(body.toString('latin1'));
    if (found) return found[1];
  }
  return null;
}
