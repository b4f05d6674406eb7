import { Injectable } from '@nestjs/common';
import { isId, type EmailStatus, type RecipientType } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { EFFECTIVE_STATUS } from './effective-status.js';
import { presentSummary, SUMMARY_COLUMNS, type EmailSummary, type SummaryRow } from './email-summary.js';
import type { StoredContent } from './ledger/delivery-job.js';
import { readContent, type MailFile } from './reading/mail-content.js';
import { recipientsOf, smtpOf, type RecipientRow, type SmtpView } from './recipient-row.js';

export interface AttachmentView {
  id: string;
  filename: string;
  content_type: string;
  content_disposition: 'attachment' | 'inline';
  content_id: string | null;
  /** Bytes. */
  size: number;
}
export interface RecipientView {
  address: string;
  type: RecipientType;
  status: EmailStatus;
  attempts: number;
  /** The receiving server's last words; null before the first attempt. */
  smtp: SmtpView | null;
  next_attempt_at: string | null;
}
/** `GET /emails/:id` (D-30). */
export interface EmailView extends EmailSummary {
  /** Null once the body is no longer kept. */
  html: string | null;
  text: string | null;
  headers: Record<string, string>;
  attachments: AttachmentView[];
  recipients: RecipientView[];
  /** The failed mail that this one repeats. */
  retry_of: string | null;
}

/** What the API shows of one mail. Every question names the account: another account's mail does not exist. */
@Injectable()
export class EmailQueries {
  constructor(private readonly database: Database) {}

  async find(accountId: string, id: string): Promise<EmailView | null> {
    const row = await this.row(accountId, id);
    if (row === null) return null;
    const recipients = await recipientsOf(this.database, id);
    const { rows } = await this.database.query<StoredContent>(
      'SELECT format, body FROM email_contents WHERE email_id = $1',
      [id],
    );
    const { files, ...content } = rows[0]
      ? readContent(id, rows[0])
      : { html: null, text: null, headers: {}, files: [] };
    return {
      ...presentSummary(row),
      ...content,
      attachments: files.map(presentFile),
      recipients: recipients.map(presentRecipient),
      retry_of: row.retry_of,
    };
  }

  /** Without body and recipients. */
  async summary(accountId: string, id: string): Promise<EmailSummary | null> {
    const row = await this.row(accountId, id);
    return row && presentSummary(row);
  }

  private async row(accountId: string, id: string): Promise<(SummaryRow & { retry_of: string | null }) | null> {
    if (!isId('em', id)) return null;
    const { rows } = await this.database.query<SummaryRow & { retry_of: string | null }>(
      `SELECT ${SUMMARY_COLUMNS}, retry_of, ${EFFECTIVE_STATUS} AS status FROM emails e WHERE e.id = $1 AND e.account_id = $2`,
      [id, accountId],
    );
    return rows[0] ?? null;
  }
}

export const presentFile = (file: MailFile): AttachmentView => ({
  id: file.id,
  filename: file.filename,
  content_type: file.contentType,
  content_disposition: file.disposition,
  content_id: file.contentId,
  size: file.content.length,
});

const presentRecipient = (row: RecipientRow): RecipientView => ({
  address: row.address,
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  smtp: smtpOf(row),
  next_attempt_at: row.status === 'deferred' ? (row.due_at?.toISOString() ?? null) : null,
});
