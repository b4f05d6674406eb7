import { isAutomatic, isReceipt } from './automatic-mail.js';
import { declaredStatus, flattenedStatus, type StatusReport } from './delivery-status.js';
import { readFeedbackReport } from './feedback-report.js';
import type { DeliveryStatus, InboundReport, ReturnedMail } from './inbound-report.js';
import { originOf, originsIn } from './prose-origins.js';
import { proseOf, proseStatus, type Prose } from './prose-report.js';
import { proseRecipients } from './prose-recipients.js';
import { isVague, mostTelling } from './refusal-words.js';
import { firstAddress } from './report-address.js';
import { fieldOf } from './report-fields.js';
import { reportParts, type ReportTree } from './report-parts.js';
import { isFromMailer } from './report-sender.js';
import { returnedFields, returnedOf } from './returned-mail.js';

/**
 * Reads what came back: a delivery status notification (RFC 3464, RFC 6533) or a bounce in prose, a complaint, an automatic
 * answer. Believes whatever a message says of itself, so nothing in the result is proved. Bounded and linear; never throws.
 */
export function readReport(message: Buffer): InboundReport {
  const tree = reportParts(message);
  // A receipt names a final recipient as well (RFC 8098 §3.2.4), and nothing failed.
  if (isReceipt(tree)) return { kind: 'automatic' };
  const prose = proseOf(tree);
  const declared = declaredStatus(tree);
  if (declared) return deliveryReport(tree, prose, declared);
  const wrapped = wrappedReport(tree);
  if (wrapped) return wrapped;
  const feedback = readFeedbackReport(tree);
  if (feedback) return feedback;
  const flattened = flattenedStatus(tree);
  if (flattened) return deliveryReport(tree, prose, flattened);
  const recipients = proseStatus(tree, prose);
  if (recipients)
    return { kind: 'delivery', reportingMta: null, recipients, returned: returnedMail(tree, prose, null) };
  return { kind: isAutomatic(tree, prose.lines) ? 'automatic' : 'unknown' };
}

/** Scanners of mail put a bounce that passes them into one of their own. */
function wrappedReport(tree: ReportTree): InboundReport | null {
  const part = isFromMailer(tree) ? tree.parts.find(({ type }) => type === 'message/rfc822') : undefined;
  if (part === undefined) return null;
  const inner = reportParts(part.body);
  const status = inner.type.value === 'multipart/report' ? declaredStatus(inner) : null;
  return status && deliveryReport(inner, proseOf(inner), status);
}

function deliveryReport(tree: ReportTree, prose: Prose, report: StatusReport): InboundReport {
  const { reportingMta } = report;
  const origins = originsIn(prose.lines);
  const recipients = report.recipients.map((one) => ({
    ...withProse(one, prose, report.recipients.length),
    originalRecipient: one.originalRecipient ?? originOf(origins, one.finalRecipient),
  }));
  return { kind: 'delivery', reportingMta, recipients, returned: returnedMail(tree, prose, report) };
}

/** Some systems fill the fields with drawers and tell the reason to people only. */
function withProse(one: DeliveryStatus, { lines }: Prose, recipients: number): DeliveryStatus {
  const name = one.finalRecipient ?? one.originalRecipient;
  if (one.action !== 'failed' || saysEnough(one) || (name === null && recipients > 1)) return one;
  const [told] = proseRecipients(lines, new Set(), name === null ? [] : [name]);
  if (!isVague(one.status)) return { ...one, text: told.text };
  return {
    ...one,
    status: mostTelling(one.status, told.status),
    smtpCode: one.smtpCode ?? told.smtpCode,
    // Numbers of programs, such as `X-Unix; 67`, say little.
    text: one.text.length > 3 ? `${one.text} ${told.text}`.trim() : told.text,
    remoteMta: one.remoteMta ?? told.remoteMta,
  };
}

const saysEnough = ({ text, status, smtpCode }: DeliveryStatus): boolean =>
  text !== '' && (!isVague(status) || smtpCode !== null);

function returnedMail(tree: ReportTree, { quoted }: Prose, report: StatusReport | null): ReturnedMail {
  const [part, text] = [returnedFields(tree), quoted].map((fields) => returnedOf(fields));
  const fields = report?.fields ?? [];
  return {
    messageId: part.messageId ?? text.messageId ?? (fieldOf(fields, 'x-original-message-id') || null),
    trace: part.trace ?? text.trace,
    returnPath: part.returnPath ?? text.returnPath ?? firstAddress(fieldOf(fields, 'x-postfix-sender')),
  };
}
