import { fieldValue } from './lenient-head.js';
import { AUTOMATIC_SUBJECT, foldText, MAIL_SERVER_SENDER, REPLY_SUBJECT, VACATION } from './phrases.js';
import type { ReportMessage } from './report-parts.js';

/** Fields of automatic replies. `X-Auto-Response-Suppress` is not among them: mail written by people has it too. */
const AUTOMATIC_FIELDS = [
  'x-autoreply',
  'x-auto-reply',
  'x-autorespond',
  'x-autoresponder',
  'x-autoreply-from',
  'x-vacation',
  'x-mail-autoreply',
];
const NEGATIVE = /^\s{0,9}(?:no|false|0)?\s{0,9}$/i;
const RECEIPT = /^message\/(?:global-)?disposition-notification$/;
const AUTOMATIC_PRECEDENCE = /^\s{0,9}auto[_-]?reply/i;
const BULK_PRECEDENCE = /^\s{0,9}(?:bulk|junk)/i;

/** Whether the message claims to be written by a mail server. Anybody can claim that. */
export const isFromMailServer = ({ fields }: ReportMessage): boolean =>
  MAIL_SERVER_SENDER.test(fieldValue(fields, 'from').slice(0, 500));

/** Whether the Subject is that of a reply or a forwarded mail. */
export const isReplyOrForward = ({ fields }: ReportMessage): boolean =>
  REPLY_SUBJECT.test(fieldValue(fields, 'subject').slice(0, 100));

/** Whether the message is an automatic reply (RFC 3834) or a read receipt (RFC 8098). */
export function isAutomatic(report: ReportMessage, lines: readonly string[]): boolean {
  const { fields } = report;
  const submitted = fieldValue(fields, 'auto-submitted').split(/[;\s(]/, 1)[0];
  if (isReceipt(report) || !NEGATIVE.test(submitted)) return true;
  if (AUTOMATIC_FIELDS.some((name) => !NEGATIVE.test(fieldValue(fields, name)))) return true;
  const precedence = fieldValue(fields, 'precedence');
  const subject = foldText(fieldValue(fields, 'subject').slice(0, 500));
  if (AUTOMATIC_PRECEDENCE.test(precedence) || AUTOMATIC_SUBJECT.test(subject)) return true;
  return BULK_PRECEDENCE.test(precedence) && VACATION.test(`${subject} ${foldText(lines.join(' ').slice(0, 2_000))}`);
}

export const isReceipt = ({ type, parts }: ReportMessage): boolean =>
  parts.some((part) => RECEIPT.test(part.type)) ||
  type.parameters.get('report-type')?.toLowerCase() === 'disposition-notification';
