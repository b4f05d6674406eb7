import { ApiProperty } from '@nestjs/swagger';
import {
  EMAIL_STATUSES,
  LAST_EVENTS,
  RECIPIENT_TYPES,
  type EmailStatus,
  type RecipientType,
  type Mode,
} from '#libs/contracts';
import type { LastEvent } from '#libs/contracts';
import {
  scheduledAtRule,
  type AttachmentView,
  type EmailSummary,
  type EmailView,
  type RecipientView,
  type SmtpView,
} from '#libs/emails';
import { ByRule } from './by-rule.js';
import { listOf, PageQuery } from './list.dto.js';
import { queryAddressRule, queryTextRule, tagFilterRule, timestampRule, wordRule } from './query-rules.js';

const EMAIL_ID = 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const DOMAIN_ID = 'dom_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const ATTACHMENT_ID = 'att_6f1ed002ab5595859014ebf0951522d9';
const ADDRESS = 'user@example.com';
const SENDER = 'Shop <orders@mail.example.com>';
const TIME = '2026-01-31T09:30:00Z';

/** Parameters of `GET /emails` (D-10). */
export class EmailsQuery extends PageQuery {
  @ByRule(wordRule(EMAIL_STATUSES), {
    doc: { type: String, enum: EMAIL_STATUSES, description: 'Only e-mails that stand so', example: 'bounced' },
  })
  status?: EmailStatus;

  @ByRule(wordRule(LAST_EVENTS), {
    doc: {
      type: String,
      enum: LAST_EVENTS,
      description: 'Only e-mails to which this happened last',
      example: 'opened',
    },
  })
  last_event?: LastEvent;

  @ByRule(queryAddressRule, {
    doc: { type: String, description: 'Only e-mails to this address, in To, Cc or Bcc', example: ADDRESS },
  })
  to?: string;

  @ByRule(queryAddressRule, {
    doc: { type: String, description: 'Only e-mails from this address', example: 'orders@mail.example.com' },
  })
  from?: string;

  @ByRule(queryTextRule, {
    doc: {
      type: String,
      description:
        'Only e-mails of this sending domain: its name, or its id, which also finds those of a removed domain',
      example: 'mail.example.com',
    },
  })
  domain?: string;

  @ByRule(queryTextRule, {
    doc: {
      type: String,
      description: 'Only e-mails whose subject begins so, in upper or lower case',
      example: 'Your order',
    },
  })
  subject?: string;

  @ByRule(tagFilterRule, {
    doc: {
      type: 'object',
      additionalProperties: { type: 'string' },
      maxProperties: 10,
      description: 'Only e-mails with these tags: `tags[campaign]=spring`, up to ten',
      example: { campaign: 'spring' },
    },
  })
  tags?: Record<string, string>;

  @ByRule(timestampRule, {
    doc: {
      type: String,
      format: 'date-time',
      description: 'Only e-mails accepted at or after this time',
      example: TIME,
    },
  })
  created_after?: string;

  @ByRule(timestampRule, {
    doc: { type: String, format: 'date-time', description: 'Only e-mails accepted before this time', example: TIME },
  })
  created_before?: string;

  @ByRule(wordRule(['true']), {
    doc: {
      type: String,
      enum: ['true'],
      description: 'Only e-mails that were accepted with `scheduled_at`, whether the time has come or not',
      example: 'true',
    },
  })
  scheduled?: 'true';
}

/** An e-mail as a list shows it: without body, headers and recipients' states. */
export class EmailItemDto implements EmailSummary {
  @ApiProperty({ example: EMAIL_ID })
  id: string;

  @ApiProperty({ enum: ['email'] })
  object: 'email';

  @ApiProperty({
    enum: ['live', 'test'],
    description: '`test` for mail of a test key or with `sandbox: true`: it was never delivered to anybody',
  })
  mode: Mode;

  @ApiProperty({
    enum: EMAIL_STATUSES,
    description:
      'The worst state of its recipients: complained, bounced, failed, deferred, sending, queued, delivered, in this order',
  })
  status: EmailStatus;

  @ApiProperty({ enum: LAST_EVENTS, description: 'What happened last; opens and clicks are here, never in `status`' })
  last_event: LastEvent;

  @ApiProperty({ description: 'The sender, as it was given', example: SENDER })
  from: string;

  @ApiProperty({ type: [String], description: 'Everybody in To', example: [ADDRESS] })
  to: string[];

  @ApiProperty({ type: [String], description: 'Everybody in Cc', example: [] })
  cc: string[];

  @ApiProperty({ type: [String], description: 'Everybody in Bcc', example: [] })
  bcc: string[];

  @ApiProperty({ type: [String], description: 'Where answers go; empty: to the sender', example: [] })
  reply_to: string[];

  @ApiProperty({ description: 'The subject line', example: 'Your order 1207 has shipped' })
  subject: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Your own metadata',
    example: { campaign: 'spring' },
  })
  tags: Record<string, string>;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time', description: 'When its state last changed' })
  updated_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When it is, or was, to be sent' })
  scheduled_at: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the last receiving server had taken it; null until all have',
  })
  delivered_at: string | null;

  @ApiProperty({ description: 'The Message-ID header', example: '<01978c0e5f7b7c3a9d21f0b64c1e88aa@mail.example.com>' })
  message_id: string;

  @ApiProperty({ description: 'The sending domain', example: DOMAIN_ID })
  domain_id: string;
}

export class EmailList extends listOf(EmailItemDto) {}

export class StoredAttachmentDto implements AttachmentView {
  @ApiProperty({ description: 'Stays the same for this file', example: ATTACHMENT_ID })
  id: string;

  @ApiProperty({ description: 'As the sender wrote it', example: 'invoice.pdf' })
  filename: string;

  @ApiProperty({ description: 'Media type of the file', example: 'application/pdf' })
  content_type: string;

  @ApiProperty({
    enum: ['attachment', 'inline'],
    description: '`inline` for a file that the HTML shows by its `content_id`',
  })
  content_disposition: 'attachment' | 'inline';

  @ApiProperty({ type: String, nullable: true, description: 'By which the HTML shows it: `cid:…`', example: 'logo' })
  content_id: string | null;

  @ApiProperty({ description: 'Bytes', type: 'integer', example: 20_481 })
  size: number;
}

export class SmtpDto implements SmtpView {
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null where no server answered', example: 250 })
  code: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'Enhanced status code (RFC 3463)', example: '2.0.0' })
  enhanced: string | null;

  @ApiProperty({
    description: "The server's words, or what went wrong before it said any",
    example: 'OK queued as 4D1',
  })
  text: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Name of the receiving server; null where none was reached',
    example: 'mx1.example.com',
  })
  mx: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Its address; null where none was reached',
    example: '192.0.2.25',
  })
  ip: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'TLS version and cipher; null: in the clear',
    example: 'TLSv1.3',
  })
  tls: string | null;
}

export class RecipientDto implements RecipientView {
  @ApiProperty({ description: 'The bare address', example: ADDRESS })
  address: string;

  @ApiProperty({ enum: RECIPIENT_TYPES, description: 'The field that names the recipient' })
  type: RecipientType;

  @ApiProperty({ enum: EMAIL_STATUSES, description: 'How it stands with this recipient' })
  status: EmailStatus;

  @ApiProperty({ type: 'integer', description: 'Attempts that have ended', example: 1 })
  attempts: number;

  @ApiProperty({ type: SmtpDto, nullable: true, description: 'What came of the last attempt; null before the first' })
  smtp: SmtpDto | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Only while `deferred`' })
  next_attempt_at: string | null;
}

/** Answer of `GET /emails/:id`. */
export class EmailDto extends EmailItemDto implements EmailView {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The HTML body; null where there is none, and after 30 days',
    example: '<p>It is on its way.</p>',
  })
  html: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The plain text; null where there is none, and after 30 days',
    example: 'It is on its way.',
  })
  text: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Your own headers; empty for mail that came over SMTP, and after 30 days',
  })
  headers: Record<string, string>;

  @ApiProperty({ type: [StoredAttachmentDto], description: 'Empty after 30 days' })
  attachments: StoredAttachmentDto[];

  @ApiProperty({ type: [RecipientDto], description: 'Each recipient and what became of the mail there' })
  recipients: RecipientDto[];

  @ApiProperty({ type: String, nullable: true, description: 'The failed e-mail that this one repeats', example: null })
  retry_of: string | null;
}

/** Body of `PATCH /emails/:id`. */
export class ChangeEmailDto {
  @ByRule(scheduledAtRule, {
    required: true,
    doc: {
      type: String,
      format: 'date-time',
      description: 'The new time, at most 72 hours from now; up to 60 seconds in the past mean now',
      example: TIME,
    },
  })
  scheduled_at: string;
}

class EmailChangedDto {
  @ApiProperty({ enum: ['email'] })
  object: 'email';

  @ApiProperty({ example: EMAIL_ID })
  id: string;
}

export class EmailRescheduled extends EmailChangedDto {
  @ApiProperty({ format: 'date-time', description: 'When it will be sent' })
  scheduled_at: string;
}

export class EmailCanceled extends EmailChangedDto {
  @ApiProperty({ enum: ['canceled'], description: 'It will not be sent' })
  status: 'canceled';
}

export class EmailRetried extends EmailChangedDto {
  @ApiProperty({ description: 'The e-mail that is repeated', example: EMAIL_ID })
  retry_of: string;
}
