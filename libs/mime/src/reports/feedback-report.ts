import type { InboundReport, ReturnedMail } from './inbound-report.js';
import { fieldValue, readLenientHead, type ReportField } from './lenient-head.js';
import type { ReportPart, ReportMessage, Steps } from './report-parts.js';
import { returnedFields, readReturnedMail } from './returned-mail.js';

export type FeedbackReport = Extract<InboundReport, { kind: 'feedback' }>;

const FEEDBACK = 'message/feedback-report';
/** Every report has one of these next to `Feedback-Type`; a mail with only that word is not a report. */
const COMPANIONS = ['user-agent', 'version', 'original-mail-from', 'original-rcpt-to', 'source-ip', 'reported-domain'];
/** In order of precedence. The second is Microsoft's, the third comes from the drafts of RFC 5965. */
const RECIPIENT_FIELDS = ['original-rcpt-to', 'x-hmxmroriginalrecipient', 'removal-recipient'];
/** Written by the delivering server; for reports without a recipient. */
const DELIVERY_FIELDS = ['x-original-to', 'delivered-to', 'x-delivered-to', 'envelope-to', 'x-envelope-to'];
const SENDER_FIELDS = ['original-mail-from', 'return-path', 'x-envelope-from', 'envelope-from', 'x-original-mail-from'];
const HEAD_FIELDS = ['message-id', 'x-postloft-ref', 'return-path'];

/** A report has three parts, each with its fields at the beginning. */
const MAX_PARTS = 20;
const MAX_HEAD = 32 * 1024;

const WORD = /^[a-z0-9][a-z0-9-]{0,60}/i;
const ADDRESSES = /[^\s<>,;:"]{1,250}@[^\s<>,;:"]{1,250}/g;
const FROM_DOMAIN = /@([a-z0-9.-]{1,250}[a-z0-9])\W{0,10}$/i;
/** Characters of a field that are read. */
const MAX_VALUE = 2_000;
/** 33 octets in base64url. */
const TRACE = /x-postloft-ref:[\s>|]{0,20}([a-z0-9_-]{44})(?![a-z0-9_-])/i;
const BLANK_LINES = /(?:\r{0,4}\n){2,}/g;
const LEADING_LINES = /^(?:\r{0,4}\n)+/;

/** Types of X-ARF and the feedback types that correspond to them. */
const XARF_TYPES: Readonly<Record<string, string>> = {
  spam: 'abuse',
  phishing: 'fraud',
  fraud: 'fraud',
  malware: 'virus',
};
/** Subjects of complaints that only attach the mail, without machine-readable fields. */
const COMPLAINT_SUBJECT =
  /^(?:\W{0,4}(?:fwd?|wg|tr)\W{1,3})?\W{0,4}(?:complaint about message from|(?:e-?mail )?(?:abuse|spam|junk|phishing|feedback)(?: e?-?mail)? (?:report|complaint|notification)|(?:abuse|spam|junk|phishing) reported)\b/i;
const DENIAL = /\bnot[ -]?(?:spam|junk|abuse|phish\w*)|false[ -]positive|\bham\b/i;
const FRAUD = /phish|fraud/i;

/**
 * Reads a complaint report (RFC 5965, redacted by RFC 6590 or not) and its variants: the fields in a part of another type,
 * Microsoft's attached mail, X-ARF, a forwarded mail. Null for everything else.
 */
export function* readFeedbackReport(report: ReportMessage): Steps<FeedbackReport | null> {
  if (report.parts.some(({ type }) => type.endsWith('/delivery-status'))) return null;
  const heads: PartHead[] = [];
  for (const part of report.parts.slice(0, MAX_PARTS)) {
    heads.push({ part, fields: fieldsOfBody(part) });
    yield;
  }
  const source = feedbackPart(heads);
  const returned = returnedHead(
    report,
    heads.filter(({ part }) => part !== source?.part),
  );
  const feedbackType = source?.feedbackType ?? forwardedType(report, returned);
  if (feedbackType === null) return null;
  const reportFields = source?.fields ?? [];
  return {
    kind: 'feedback',
    feedbackType,
    userAgent: fieldValue(reportFields, 'user-agent') || null,
    reporter: FROM_DOMAIN.exec(fieldValue(report.fields, 'from').slice(0, MAX_VALUE))?.[1].toLowerCase() ?? null,
    recipients: recipientsOf([...reportFields, ...returned, ...report.fields], returned),
    returned: yield* returnedMail(report, reportFields, returned),
  };
}

/** A part and the fields at the beginning of its body. */
interface PartHead {
  part: ReportPart;
  fields: ReportField[];
}

/** The part with the machine-readable fields, whatever its declared type. */
function feedbackPart(heads: readonly PartHead[]): (PartHead & { feedbackType: string }) | null {
  const named = heads.find((head) => isFeedback(head) && fieldValue(head.fields, 'feedback-type') !== '');
  const found = named ?? heads.find(({ fields }) => typeOf(fields) !== null) ?? heads.find(isFeedback);
  // RFC 5965 §7.3: the type of a report without one.
  return found === undefined ? null : { ...found, feedbackType: typeOf(found.fields) ?? 'other' };
}

const isFeedback = ({ part }: PartHead): boolean => part.type === FEEDBACK;

function typeOf(fields: readonly ReportField[]): string | null {
  const names = new Set(fields.map(({ name }) => name));
  if (names.has('feedback-type') && COMPANIONS.some((name) => names.has(name)))
    return WORD.exec(fieldValue(fields, 'feedback-type'))?.[0].toLowerCase() ?? null;
  if (!names.has('report-type') || !names.has('reported-from')) return null;
  return XARF_TYPES[fieldValue(fields, 'report-type').toLowerCase()] ?? 'other';
}

/** Skips blank lines before the fields and, in a body of fields only, between them. */
function fieldsOfBody({ type, body }: ReportPart): ReportField[] {
  const text = body.toString('latin1', 0, MAX_HEAD).replace(LEADING_LINES, '');
  return readLenientHead(Buffer.from(type === FEEDBACK ? text.replace(BLANK_LINES, '\n') : text, 'latin1')).fields;
}

/** The header of the returned mail, even in a part that is declared as text or as a file. */
function returnedHead(report: ReportMessage, heads: readonly PartHead[]): ReportField[] {
  const declared = returnedFields(report);
  if (declared.length > 0) return declared;
  return heads.find(({ fields }) => HEAD_FIELDS.some((name) => fieldValue(fields, name) !== ''))?.fields ?? [];
}

/** The type of a complaint without machine-readable fields, from its Subject. */
function forwardedType({ fields }: ReportMessage, returned: readonly ReportField[]): string | null {
  if (returned.length === 0) return null;
  if (fieldValue([...fields, ...returned], 'x-hmxmroriginalrecipient') !== '') return 'abuse';
  const subject = fieldValue(fields, 'subject');
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

function* returnedMail(
  report: ReportMessage,
  reportFields: readonly ReportField[],
  returned: readonly ReportField[],
): Steps<ReturnedMail> {
  const known = readReturnedMail(returned);
  const senders = [...reportFields, ...returned]
    .filter(({ name }) => SENDER_FIELDS.includes(name))
    .flatMap(addressesOf);
  return {
    messageId: known.messageId,
    trace: known.trace ?? (yield* traceInText(report)),
    // A forwarder adds its own address before the envelope sender of the mail.
    returnPath: senders.find((address) => /^b\+/i.test(address)) ?? senders[0] ?? null,
  };
}

/** For a mail that is quoted, nested or wrongly labelled. The caller checks the MAC. */
function* traceInText({ parts }: ReportMessage): Steps<string | null> {
  for (const { body } of parts) {
    yield;
    const found = TRACE.exec(body.toString('latin1'));
    if (found) return found[1];
  }
  return null;
}
