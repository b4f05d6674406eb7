import { isAutomatic, isReceipt } from './automatic-mail.js';
import { declaredStatus, flattenedStatus, type StatusReport } from './delivery-status.js';
import { readFeedbackReport } from './feedback-report.js';
import type { DeliveryStatus, InboundReport, ReturnedMail } from './inbound-report.js';
import { proseOf, proseStatus, type Prose } from './prose-report.js';
import { proseRecipients } from './prose-recipients.js';
import { isVague, mostTelling } from './refusal-words.js';
import { firstAddress } from './report-address.js';
import { fieldOf } from './report-fields.js';
import { reportParts, type ReportTree } from './report-parts.js';
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
  const feedback = readFeedbackReport(tree);
  if (feedback) return feedback;
  const flattened = flattenedStatus(tree);
  if (flattened) return deliveryReport(tree, prose, flattened);
  const recipients = proseStatus(tree, prose);
  if (recipients)
    return { kind: 'delivery', reportingMta: null, recipients, returned: returnedMail(tree, prose, null) };
  return { kind: isAutomatic(tree, prose.lines) ? 'automatic' : 'unknown' };
}

function deliveryReport(tree: ReportTree, prose: Prose, report: StatusReport): InboundReport {
  const { reportingMta } = report;
  const recipients = report.recipients.map((one) => withProse(one, prose, report.recipients.length));
  return { kind: 'delivery', reportingMta, recipients, returned: returnedMail(tree, prose, report) };
}

/** Some systems fill the fields with drawers and tell the reason to people only. */
function withProse(one: DeliveryStatus, { lines }: Prose, recipients: number): DeliveryStatus {
  if (one.action !== 'failed' || !isVague(one.status) || (one.smtpCode !== null && one.text !== '')) return one;
  const name = one.finalRecipient ?? one.originalRecipient;
  if (name === null && recipients > 1) return one;
  const [told] = proseRecipients(lines, new Set(), name === null ? [] : [name]);
  return {
    ...one,
    status: mostTelling(one.status, told.status),
    smtpCode: one.smtpCode ?? told.smtpCode,
    text: one.text.length > 3 ? `${one.text} ${told.text}`.trim() : told.text,
    remoteMta: one.remoteMta ?? told.remoteMta,
  };
}

function returnedMail(tree: ReportTree, { quoted }: Prose, report: StatusReport | null): ReturnedMail {
  const [part, text] = [returnedFields(tree), quoted].map((fields) => returnedOf(fields));
  const fields = report?.fields ?? [];
  return {
    messageId: part.messageId ?? text.messageId ?? (fieldOf(fields, 'x-original-message-id') || null),
    trace: part.trace ?? text.trace,
    returnPath: part.returnPath ?? text.returnPath ?? firstAddress(fieldOf(fields, 'x-postfix-sender')),
  };
}
