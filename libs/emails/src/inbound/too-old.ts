import type { MailFacts } from '../email-events.js';
import type { ReportedRecipient } from './reported-mail.js';

/** M-33. No server keeps a mail for longer before it gives up; who has found an old token can do nothing with it. */
const DAYS = 14;
const DAY_MS = 86_400_000;

export const TOO_OLD = `the mail went out more than ${DAYS} days ago`;

export const isTooOld = ({ createdAt }: MailFacts, { sentAt }: ReportedRecipient): boolean =>
  Date.now() - (sentAt ?? createdAt).getTime() > DAYS * DAY_MS;
