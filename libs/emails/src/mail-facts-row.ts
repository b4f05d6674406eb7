import type { MailFacts } from './email-events.js';

/** The columns of `emails` that every event of a mail is told with. */
export interface MailFactsRow {
  id: string;
  account_id: string;
  domain_id: string;
  mode: string;
  sender: string;
  header_to: string[];
  subject: string;
  tags: Record<string, string>;
  message_id: string;
  created_at: Date;
}

export const mailFactsOf = (row: MailFactsRow): MailFacts => ({
  id: row.id,
  accountId: row.account_id,
  domainId: row.domain_id,
  test: row.mode === 'test',
  sender: row.sender,
  to: row.header_to,
  subject: row.subject,
  tags: row.tags,
  messageId: row.message_id,
  createdAt: row.created_at,
});
