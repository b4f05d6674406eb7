import {
  EMAIL_STATUSES,
  fields,
  LAST_EVENTS,
  RECIPIENT_TYPES,
  resource,
  type EmailStatus,
  type RowOf,
  type Shape,
  type ViewOf,
} from '#libs/contracts';
import type { HostedUnsubscribe } from './message/unsubscribe-link.js';

const ADDRESS = 'user@example.com';
/** Bulk email yields to transactional email of the same account. */
export const PRIORITIES = ['transactional', 'bulk'] as const;
const TEXT_VALUES = { type: 'string' } as const;
/** Of the content of an email. */
const EXPIRES = 'after the retention period (30 days by default)';

/** The reply of a receiving server, and the connection to it. */
export const smtp = {
  name: 'Smtp',
  about: 'The reply of a receiving server, and the connection to it.',
  fields: {
    code: fields.integer('The reply code; null if no server answered', 250).orNull(),
    enhanced: fields.text('Enhanced status code (RFC 3463)', '2.0.0').orNull(),
    text: fields.text('The reply text of the server, or the error that prevented a reply', 'OK queued as 4D1'),
    mx: fields.text('Name of the receiving server; null if none was reached', 'mx1.example.com').orNull(),
    ip: fields.text('IP address of the receiving server; null if none was reached', '192.0.2.25').orNull(),
    tls: fields.text('TLS version and cipher; null if the connection was not encrypted', 'TLSv1.3').orNull(),
  },
} as const satisfies Shape;
export interface SmtpView extends ViewOf<typeof smtp> {}

/** The opens and clicks of a recipient. The times are those of people. */
export const visits = resource({
  name: 'Visits',
  about: 'Opens and clicks of one recipient.',
  table: 'recipient_visits',
  fields: {
    opens: fields.integer('Number of opens, those of bots included', 3).stored(),
    bot_opens: fields.integer('Opens of bots', 1).stored(),
    first_opened_at: fields.time('The first open by a person').orNull().stored(),
    last_opened_at: fields.time('The last open by a person').orNull().stored(),
    clicks: fields.integer('Number of clicks, those of bots included', 1).stored(),
    bot_clicks: fields.integer('Clicks of bots', 0).stored(),
    first_clicked_at: fields.time('The first click by a person').orNull().stored(),
    last_clicked_at: fields.time('The last click by a person').orNull().stored(),
  },
  internal: { email_id: fields.column<string>(), ordinal: fields.column<number>('smallint') },
});
export interface VisitsView extends ViewOf<typeof visits> {}
export interface VisitsRow extends RowOf<typeof visits> {}

export const recipient = {
  name: 'Recipient',
  about: 'A recipient of an email with its delivery status.',
  fields: {
    address: fields.text('The bare address', ADDRESS),
    type: fields.choice(RECIPIENT_TYPES, 'The field that names the recipient'),
    status: fields.choice(EMAIL_STATUSES, 'The status for this recipient'),
    attempts: fields.integer('Number of finished attempts', 1),
    smtp: fields.object(smtp, 'Result of the last attempt; null before the first').orNull(),
    next_attempt_at: fields.time('When the next attempt is due; only while `deferred`').orNull(),
    visits: fields.object(visits, 'Opens and clicks; null if there are none').orNull(),
  },
} as const satisfies Shape;
export interface RecipientView extends ViewOf<typeof recipient> {}

const storedAttachment = {
  name: 'StoredAttachment',
  about: 'An attachment, without its content.',
  fields: {
    id: fields.text('Stable for this file', 'att_6f1ed002ab5595859014ebf0951522d9'),
    filename: fields.text('The file name, as given', 'invoice.pdf'),
    content_type: fields.text('Media type of the file', 'application/pdf'),
    content_disposition: fields.choice(
      ['attachment', 'inline'],
      '`inline` for a file that the HTML body refers to by its `content_id`',
    ),
    content_id: fields.text('The id by which the HTML body refers to the file: `cid:…`', 'logo').orNull(),
    size: fields.integer('Size in bytes', 20_481),
  },
} as const satisfies Shape;
export interface AttachmentView extends ViewOf<typeof storedAttachment> {}

/** An attachment, with a download link that is valid for an hour. */
export const linkedAttachment = {
  name: 'LinkedAttachment',
  about: 'An attachment, without its content.',
  fields: {
    ...storedAttachment.fields,
    object: fields.kind('attachment'),
    download_url: fields.text(
      'A link that works for one hour, without an API key',
      'https://api.example.com/emails/em_01978c0e5f7b7c3a9d21f0b64c1e88aa/attachments/att_6f1ed002ab5595859014ebf0951522d9/download?token=…',
      { format: 'uri' },
    ),
    expires_at: fields.time('When `download_url` expires'),
  },
} as const satisfies Shape;
export interface LinkedAttachmentView extends ViewOf<typeof linkedAttachment> {}

export const tracked = {
  name: 'Tracked',
  about: 'Tracking of an email.',
  fields: {
    opens: fields.flag('Whether opens are tracked', true),
    clicks: fields.flag('Whether clicks are tracked', false),
  },
} as const satisfies Shape;

const summaryFields = {
  id: fields.id('em').stored(),
  object: fields.kind('email'),
  mode: fields
    .choice(['live', 'test'], '`test` for emails of a test key or with `sandbox: true`, which are never delivered')
    .stored(),
  /** The effective status, which queries compute. */
  status: fields.choice(
    EMAIL_STATUSES,
    'The worst status of its recipients, in this order: complained, bounced, failed, deferred, sending, queued, delivered',
  ),
  last_event: fields.choice(LAST_EVENTS, 'The latest event. Opens and clicks appear here, never in `status`').stored(),
  from: fields.text('The sender, as given', 'Shop <orders@mail.example.com>').storedAs('sender'),
  to: fields.texts('All To recipients', [ADDRESS]).storedAs('header_to'),
  cc: fields.texts('All Cc recipients', []).storedAs('header_cc'),
  bcc: fields.texts('All Bcc recipients', []).storedAs('header_bcc'),
  reply_to: fields.texts('Reply-To addresses; empty if replies go to the sender', []).stored(),
  subject: fields.text('The subject line', 'Your order 1207 has shipped').stored(),
  tags: fields.map<Record<string, string>>('Your own metadata', { campaign: 'spring' }, TEXT_VALUES).stored(),
  priority: fields
    .choice(PRIORITIES, '`bulk`: it yields to the transactional emails of this account at the same destination')
    .stored(),
  created_at: fields.time().stored(),
  updated_at: fields.time('When its status last changed').stored(),
  scheduled_at: fields.time('When it is, or was, due to be sent').orNull().stored(),
  delivered_at: fields.time('When the last receiving server accepted it; null until all have').orNull().stored(),
  message_id: fields.text('The Message-ID header', '<01978c0e5f7b7c3a9d21f0b64c1e88aa@mail.example.com>').stored(),
  domain_id: fields.id('dom', 'The sending domain').stored(),
};

/** An email as lists show it. */
export const emailSummary = resource({
  name: 'EmailItem',
  about: 'An email in a list: without bodies, headers and the states of its recipients.',
  table: 'emails',
  fields: summaryFields,
  internal: {},
});
export interface EmailSummary extends ViewOf<typeof emailSummary> {}
/** With the effective status. */
export type SummaryRow = RowOf<typeof emailSummary> & { status: EmailStatus };

const contentFields = {
  html: fields.text(`The HTML body; null if there is none, and ${EXPIRES}`, '<p>It is on its way.</p>').orNull(),
  text: fields.text(`The plain-text body; null if there is none, and ${EXPIRES}`, 'It is on its way.').orNull(),
  headers: fields.map<Record<string, string>>(
    `Your own header fields; empty for emails submitted over SMTP, and ${EXPIRES}`,
    undefined,
    TEXT_VALUES,
  ),
  attachments: fields.objects(storedAttachment, `Attachments; empty ${EXPIRES}`),
};

/** An email with its content, and all columns of its row. */
export const email = resource({
  name: 'Email',
  about: 'An email as it was accepted, with its delivery status.',
  table: 'emails',
  fields: {
    ...summaryFields,
    ...contentFields,
    recipients: fields.objects(recipient, 'Each recipient with its delivery status'),
    retry_of: fields.text('The failed email that this one repeats', null).orNull().stored(),
    tracking: fields
      .object(tracked, 'Tracking of the email; null if neither opens nor clicks are tracked')
      .orNull()
      .stored(),
  },
  internal: {
    account_id: fields.column<string>(),
    /** Null for messages of the service itself. */
    api_key_id: fields.column<string | null>(),
    source: fields.column<string>(),
    /** As stored; a claim does not change it. */
    status: fields.column<EmailStatus>(),
    /** Claimed for delivery by the process that accepted the message, in the same commit. */
    claimed_on_accept: fields.column<boolean>('boolean'),
    sender_address: fields.column<string>(),
    size: fields.column<number>('integer'),
    recipient_count: fields.column<number>('smallint'),
    /** Of the allowance. */
    units: fields.column<number>('smallint'),
    /** Of its last event. */
    sequence: fields.column<number>('integer'),
    lifetime_seconds: fields.column<number | null>('integer'),
    sandbox_result: fields.column<string | null>(),
    unsubscribe: fields.column<HostedUnsubscribe | null>('jsonb'),
    is_login_mail: fields.column<boolean>('boolean'),
    /** `traceparent` of the span in which it was accepted; null while tracing is off. */
    trace_context: fields.column<string | null>(),
  },
});
export interface EmailView extends ViewOf<typeof email> {}
export interface EmailRow extends RowOf<typeof email> {}
/** Content of an email; empty once it is deleted. */
export type EmailContentView = Pick<EmailView, keyof typeof contentFields>;
/** An email without its content. */
export type EmailDetails = Omit<EmailView, keyof typeof contentFields>;
