import { statusFromParts, statusFromTextPart, type StatusReport } from './delivery-status.js';
import { readFeedbackReport } from './feedback-report.js';
import { firstAddress } from './find-address.js';
import type { DeliveryStatus, InboundReport, ReturnedMail } from './inbound-report.js';
import { fieldValue, readLenientHead } from './lenient-head.js';
import { isGenericStatus, moreSpecificStatus } from './quoted-reply.js';
import { atOnce, readReportParts, type ReportMessage, type Steps } from './report-parts.js';
import { isRedacted } from './redacted-address.js';
import { isAutomatic, isFromMailServer, isReceipt } from './report-sender.js';
import { readReturnedMail, returnedFields } from './returned-mail.js';
import { aliasOriginOf, aliasOriginsIn, recipientsInText, type TextBounceRecipient } from './text-bounce-recipients.js';
import { failedInAutomaticReply, readReportText, readTextBounce, type ReportText } from './text-bounce.js';

/**
 * Reads a message that arrived at a return path: a delivery status notification (RFC 3464, RFC 6533), a bounce in free
 * text, a complaint or an automatic reply. Nothing in the result is authenticated. Bounded and linear; never throws.
 */
export function readReport(message: Buffer): InboundReport {
  return atOnce(readReportInSteps(message));
}

/** As `readReport`, in steps that each read a part of at most 256 KiB. */
export function* readReportInSteps(message: Buffer): Steps<InboundReport> {
  const report = yield* readReportParts(message);
  // A receipt names a final recipient too (RFC 8098 §3.2.4), and is not a failure.
  if (isReceipt(report)) return { kind: 'automatic', failed: [] };
  const text = yield* readReportText(report);
  const status = yield* statusFromParts(report);
  if (status) return deliveryReport(report, text, status);
  const wrapped = yield* readWrappedReport(report);
  if (wrapped) return wrapped;
  const feedback = yield* readFeedbackReport(report);
  if (feedback) return feedback;
  const flattened = yield* statusFromTextPart(report);
  if (flattened) return deliveryReport(report, text, flattened);
  const recipients = readTextBounce(report, text);
  if (recipients)
    return { kind: 'delivery', reportingMta: null, recipients, returned: returnedMail(report, text, null) };
  if (!isAutomatic(report, text.lines)) return { kind: 'unknown' };
  return { kind: 'automatic', failed: failedInAutomaticReply(report, text) };
}

/** The Subject of a message of any origin, decoded; null where it has none. May contain control characters. */
export function reportSubject(message: Buffer): string | null {
  return fieldValue(readLenientHead(message).fields, 'subject') || null;
}

/** Some mail scanners attach a bounce that passes through them to one of their own. */
function* readWrappedReport(report: ReportMessage): Steps<InboundReport | null> {
  const part = isFromMailServer(report) ? report.parts.find(({ type }) => type === 'message/rfc822') : undefined;
  if (part === undefined) return null;
  const inner = yield* readReportParts(part.body);
  const status = inner.type.value === 'multipart/report' ? yield* statusFromParts(inner) : null;
  return status && deliveryReport(inner, yield* readReportText(inner), status);
}

function deliveryReport(report: ReportMessage, text: ReportText, status: StatusReport): InboundReport {
  const { reportingMta } = status;
  const origins = aliasOriginsIn(text.lines);
  const inText = reasonsFromText(status.recipients, text);
  const recipients = status.recipients.map((one) => ({
    ...withReasonFromText(one, inText.get(addressOf(one))),
    originalRecipient: one.originalRecipient ?? aliasOriginOf(origins, one.finalRecipient),
  }));
  return { kind: 'delivery', reportingMta, recipients, returned: returnedMail(report, text, status) };
}

const addressOf = ({ finalRecipient, originalRecipient }: DeliveryStatus): string | null =>
  finalRecipient ?? originalRecipient;

const lacksReason = (one: DeliveryStatus): boolean => one.action === 'failed' && !hasReason(one);

/** Some systems write generic codes into the fields and the reason only into the text for people. */
function reasonsFromText(
  recipients: readonly DeliveryStatus[],
  { lines }: ReportText,
): Map<string | null, TextBounceRecipient> {
  if (!recipients.some(lacksReason)) return new Map();
  const addresses = [...new Set(recipients.map(addressOf))];
  if (recipients.length === 1)
    return new Map([[addresses[0], recipientsInText(lines, new Set(), knownOf(addresses))[0]]]);
  return new Map(recipientsInText(lines, new Set(), knownOf(addresses)).map((one) => [one.address, one]));
}

const knownOf = (addresses: readonly (string | null)[]): string[] => addresses.filter((address) => address !== null);

function withReasonFromText(one: DeliveryStatus, inText: TextBounceRecipient | undefined): DeliveryStatus {
  if (inText === undefined || !lacksReason(one)) return one;
  if (!isGenericStatus(one.status)) return { ...one, text: inText.text };
  return {
    ...one,
    status: moreSpecificStatus(one.status, inText.status),
    smtpCode: one.smtpCode ?? inText.smtpCode,
    // Short texts are exit codes of programs, such as `X-Unix; 67`.
    text: one.text.length > 3 ? `${one.text} ${inText.text}`.trim() : inText.text,
    remoteMta: one.remoteMta ?? inText.remoteMta,
  };
}

const hasReason = ({ text, status, smtpCode }: DeliveryStatus): boolean =>
  text !== '' && (!isGenericStatus(status) || smtpCode !== null);

function returnedMail(report: ReportMessage, { quoted }: ReportText, status: StatusReport | null): ReturnedMail {
  const [attached, inText] = [returnedFields(report), quoted].map((fields) => readReturnedMail(fields));
  const fields = status?.fields ?? [];
  return {
    messageId: attached.messageId ?? inText.messageId ?? (fieldValue(fields, 'x-original-message-id') || null),
    trace: attached.trace ?? inText.trace,
    returnPath: attached.returnPath ?? inText.returnPath ?? firstAddress(fieldValue(fields, 'x-postfix-sender')),
  };
}

/** Reports that mail servers send back. */
export const mailReports = { read: readReportInSteps, subjectOf: reportSubject, isRedacted };
