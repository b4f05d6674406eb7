import { Injectable } from '@nestjs/common';
import { isId, lowestIdAt, type EmailStatus, type RecipientType, type Visibility } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { EFFECTIVE_STATUS } from './effective-status.js';
import { toEmailSummary, SUMMARY_COLUMNS, type EmailSummary, type SummaryRow } from './email-summary.js';
import type { StoredContent, Tracking } from '../message/delivery-job.js';
import { readContent, type StoredAttachment } from './email-content.js';
import { recipientsOf, smtpOf, type RecipientRow, type SmtpView } from './recipient-row.js';
import { visitsOf, type VisitsView } from './visited-emails.js';
import { visibilityValues, visibleEmails } from './visible-emails.js';

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
  /** The last reply of the receiving server; null before the first attempt. */
  smtp: SmtpView | null;
  next_attempt_at: string | null;
  /** Opens and clicks; null if there are none, or the email is not tracked. */
  visits: VisitsView | null;
}
/** The response of `GET /emails/:id`. */
export interface EmailView extends EmailSummary {
  /** Null once the content is deleted. */
  html: string | null;
  text: string | null;
  headers: Record<string, string>;
  attachments: AttachmentView[];
  recipients: RecipientView[];
  /** The failed email that this one repeats. */
  retry_of: string | null;
  /** Null if neither opens nor clicks are tracked. */
  tracking: Tracking | null;
}

type DetailRow = SummaryRow & { retry_of: string | null; tracking: Tracking | null };

/** Reads emails for the API. An email that the key does not see does not exist. */
@Injectable()
export class EmailQueries {
  constructor(private readonly database: Database) {}

  async find(visibility: Visibility, id: string): Promise<EmailView | null> {
    const row = await this.row(visibility, id);
    if (row === null) return null;
    const recipients = await recipientsOf(this.database, id);
    const visits = row.tracking === null ? new Map<number, VisitsView>() : await visitsOf(this.database, id);
    const { rows } = await this.database.query<StoredContent>(
      'SELECT format, body FROM email_contents WHERE email_id = $1',
      [id],
    );
    const { attachments, ...content } = rows[0]
      ? readContent(id, rows[0])
      : { html: null, text: null, headers: {}, attachments: [] };
    return {
      ...toEmailSummary(row),
      ...content,
      attachments: attachments.map(toAttachmentView),
      recipients: recipients.map((recipient) => toRecipientView(recipient, visits.get(recipient.ordinal) ?? null)),
      retry_of: row.retry_of,
      tracking: row.tracking,
    };
  }

  /** Without content and recipients. */
  async summary(visibility: Visibility, id: string): Promise<EmailSummary | null> {
    const row = await this.row(visibility, id);
    return row && toEmailSummary(row);
  }

  /** The allowance units of the visible emails accepted since a time; canceled scheduled emails have returned theirs. */
  async unitsSince(visibility: Visibility, since: Date): Promise<number> {
    const { rows } = await this.database.query<{ units: string }>(
      `SELECT coalesce(sum(e.units), 0) AS units FROM emails e
        WHERE e.id >= $1 AND e.created_at >= $2 AND ${visibleEmails(3)}
          AND NOT (e.status = 'canceled' AND e.scheduled_at IS NOT NULL)`,
      [lowestIdAt('em', since), since, ...visibilityValues(visibility)],
    );
    return Number(rows[0].units);
  }

  private async row(visibility: Visibility, id: string): Promise<DetailRow | null> {
    if (!isId('em', id)) return null;
    const { rows } = await this.database.query<DetailRow>(
      `SELECT ${SUMMARY_COLUMNS}, retry_of, tracking, ${EFFECTIVE_STATUS} AS status FROM emails e WHERE e.id = $1 AND ${visibleEmails(2)}`,
      [id, ...visibilityValues(visibility)],
    );
    return rows[0] ?? null;
  }
}

export const toAttachmentView = (attachment: StoredAttachment): AttachmentView => ({
  id: attachment.id,
  filename: attachment.filename,
  content_type: attachment.contentType,
  content_disposition: attachment.disposition,
  content_id: attachment.contentId,
  size: attachment.content.length,
});

const toRecipientView = (row: RecipientRow, visits: VisitsView | null): RecipientView => ({
  address: row.address,
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  smtp: smtpOf(row),
  next_attempt_at: row.status === 'deferred' ? (row.due_at?.toISOString() ?? null) : null,
  visits,
});
