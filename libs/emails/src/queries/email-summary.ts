import { emailSummary, type EmailSummary, type SummaryRow } from '../email.resource.js';
import { EFFECTIVE_STATUS } from './effective-status.js';

/** The columns of a summary, of row `e` of `emails`. */
export const SUMMARY_COLUMNS = `${emailSummary.columns}, ${EFFECTIVE_STATUS} AS status`;

export const toEmailSummary = (row: SummaryRow): EmailSummary =>
  emailSummary.toView(row, { object: 'email', status: row.status });
