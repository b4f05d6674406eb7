import { recordLateReport } from './late-bounce.js';
import { lockReportedEmail, reportedTransaction } from './lock-reported-email.js';
import { fullMailboxSuppressions, hardBounceSuppression } from './suppress-on-bounce.js';

/** Emails that a report of another server is about, which arrives after their delivery. */
export const reportedEmails = {
  lock: lockReportedEmail,
  transactionOf: reportedTransaction,
  recordLate: recordLateReport,
  fullMailboxSuppressions,
  hardBounceSuppression,
};
