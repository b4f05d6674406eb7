import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { isId, type EmailStatus, type LastEvent, type RecipientType } from '#libs/contracts';
import { readParts } from '#libs/mime';
import { Database } from '#libs/persistence';
import { Repository } from 'typeorm';
import { EmailEntity } from './email.entity.js';
import { decodeParts } from './intake/stored-parts.js';
import type { StoredContent } from './ledger/delivery-job.js';
import { RecipientEntity } from './recipient.entity.js';

export interface AttachmentView {
  filename: string;
  content_type: string;
  content_id: string | null;
  size: number;
}
export interface RecipientView {
  address: string;
  type: RecipientType;
  status: EmailStatus;
  attempts: number;
  /** The receiving server's last words; null before the first attempt. */
  smtp: {
    code: number | null;
    enhanced: string | null;
    text: string;
    mx: string | null;
    ip: string | null;
    tls: string | null;
  } | null;
  next_attempt_at: string | null;
}
/** `GET /emails/:id` (D-30). */
export interface EmailView {
  id: string;
  object: 'email';
  status: EmailStatus;
  last_event: LastEvent;
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  reply_to: string[];
  subject: string;
  /** Null once the body is no longer kept. */
  html: string | null;
  text: string | null;
  headers: Record<string, string>;
  tags: Record<string, string>;
  attachments: AttachmentView[];
  created_at: string;
  updated_at: string;
  scheduled_at: string | null;
  delivered_at: string | null;
  message_id: string;
  domain_id: string;
  recipients: RecipientView[];
}

type ContentView = Pick<EmailView, 'html' | 'text' | 'headers' | 'attachments'>;

/** What the API shows of mails. Every question names the account: another account's mail does not exist. */
@Injectable()
export class EmailQueries {
  constructor(
    @InjectRepository(EmailEntity) private readonly emails: Repository<EmailEntity>,
    @InjectRepository(RecipientEntity) private readonly recipients: Repository<RecipientEntity>,
    private readonly database: Database,
  ) {}

  async find(accountId: string, id: string): Promise<EmailView | null> {
    if (!isId('em', id)) return null;
    const email = await this.emails.findOneBy({ id, accountId });
    if (!email) return null;
    const recipients = await this.recipients.find({ where: { emailId: id }, order: { ordinal: 'ASC' } });
    const { rows } = await this.database.query<StoredContent>(
      'SELECT format, body FROM email_contents WHERE email_id = $1',
      [id],
    );
    return presentEmail(
      email,
      recipients,
      rows[0] ? presentContent(rows[0]) : { html: null, text: null, headers: {}, attachments: [] },
    );
  }
}

function presentEmail(email: EmailEntity, recipients: RecipientEntity[], content: ContentView): EmailView {
  return {
    id: email.id,
    object: 'email',
    status: email.status,
    last_event: email.lastEvent,
    from: email.sender,
    to: email.to,
    cc: email.cc,
    bcc: email.bcc,
    reply_to: email.replyTo,
    subject: email.subject,
    ...content,
    tags: email.tags,
    created_at: email.createdAt.toISOString(),
    updated_at: email.updatedAt.toISOString(),
    scheduled_at: email.scheduledAt?.toISOString() ?? null,
    delivered_at: email.deliveredAt?.toISOString() ?? null,
    message_id: email.messageId,
    domain_id: email.domainId,
    recipients: recipients.map(presentRecipient),
  };
}

function presentRecipient(row: RecipientEntity): RecipientView {
  return {
    address: row.address,
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    smtp:
      row.smtpText === null
        ? null
        : { code: row.smtpCode, enhanced: row.smtpEnhanced, text: row.smtpText, mx: row.mx, ip: row.ip, tls: row.tls },
    next_attempt_at: row.status === 'deferred' ? (row.dueAt?.toISOString() ?? null) : null,
  };
}

function presentContent({ format, body }: StoredContent): ContentView {
  if (format === 'mime') {
    const { html, text, attachments } = readParts(body);
    return { html: html ?? null, text: text ?? null, headers: {}, attachments: attachments.map(presentAttachment) };
  }
  const parts = decodeParts(body);
  return {
    html: parts.html ?? null,
    text: parts.text ?? null,
    headers: Object.fromEntries(parts.headers),
    attachments: parts.attachments.map((file) => presentAttachment({ ...file, size: file.content.length })),
  };
}

const presentAttachment = (file: {
  filename: string;
  contentType: string;
  contentId?: string;
  size: number;
}): AttachmentView => ({
  filename: file.filename,
  content_type: file.contentType,
  content_id: file.contentId ?? null,
  size: file.size,
});
