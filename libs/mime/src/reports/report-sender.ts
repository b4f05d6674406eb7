import { fieldOf } from './report-fields.js';
import type { ReportTree } from './report-parts.js';

const MAILER =
  /mailer[-_. ]?daemon|post[-_.]?master|mail[-_. ]?daemon|mdaemon|microsoftexchange[0-9a-f]{32}|mail deliver[a-z]{0,2} (?:sub)?system|system ?administrator|mail administrator|^\W{0,3}smtp@|<@?>|^$/i;
/** "Re:", "Fwd:" and their like in other languages. */
const REPLY = /^\s{0,9}(?:re|aw|antw|sv|vs|odp|ref|rif|fwd?|wg|tr|rv|vl|enc|i)\s{0,3}(?:\[\d{1,3}\])?\s{0,3}:/i;

/** Whether a mail server says that it wrote the message. Anybody can say so. */
export const isFromMailer = ({ fields }: ReportTree): boolean => MAILER.test(fieldOf(fields, 'from').slice(0, 500));

/** Whether the Subject is that of an answer or a forwarded mail. */
export const isAnswer = ({ fields }: ReportTree): boolean => REPLY.test(fieldOf(fields, 'subject').slice(0, 100));
