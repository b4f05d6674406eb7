import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  EMAIL_STATUSES,
  LAST_EVENTS,
  RECIPIENT_TYPES,
  type EmailStatus,
  type LastEvent,
  type Mode,
  type RecipientType,
} from '#libs/contracts';
import {
  scheduledAtRule,
  type AttachmentView,
  type EmailSummary,
  type EmailView,
  type RecipientView,
  type SmtpView,
  type Tracking,
  type VisitsView,
} from '#libs/emails';
import {
  EnumProperty,
  exampleId,
  FlagProperty,
  IdProperty,
  IntegerProperty,
  KindProperty,
  namedBy,
  NullableTextProperty,
  NullableTimeProperty,
  TAG_KEY_PATTERN,
  TextProperty,
  TextsProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { listOf, pageQueryOf } from '../list.dto.js';
import { FieldRule } from '../validation/field-rule.decorator.js';
import { QueryAddress, QueryDomain, QueryEnum, QueryText, QueryTime } from '../validation/query-fields.js';
import { tagFilterRule } from '../validation/query-rules.js';

const ADDRESS = 'user@example.com';

const stringMap = { type: 'object', additionalProperties: { type: 'string' } } satisfies ApiPropertyOptions;

/** Parameters of `GET /emails`. */
export class EmailsQuery extends pageQueryOf('em') {
  @QueryEnum(EMAIL_STATUSES, { description: 'Only e-mails with this status', example: 'bounced' })
  status?: EmailStatus;

  @QueryEnum(LAST_EVENTS, { description: 'Only e-mails whose latest event is this one', example: 'opened' })
  last_event?: LastEvent;

  @QueryAddress('Only e-mails to this address, in To, Cc or Bcc', ADDRESS)
  to?: string;

  @QueryDomain('Only e-mails with a recipient at exactly this domain, in To, Cc or Bcc', 'example.com')
  recipient_domain?: string;

  @QueryEnum(['true'], {
    description:
      'Only e-mails with a recipient that has no final outcome yet; with `recipient_domain`, with such a recipient at that domain',
    example: 'true',
  })
  waiting?: 'true';

  @QueryAddress('Only e-mails from this address', 'orders@mail.example.com')
  from?: string;

  @QueryText(
    'Only e-mails of this sending domain: its name, or its id. The id also finds e-mails of a removed domain',
    'mail.example.com',
  )
  domain?: string;

  @QueryText('Only e-mails whose subject starts with this text, ignoring case', 'Your order')
  subject?: string;

  @FieldRule(tagFilterRule, {
    type: 'object',
    ...namedBy(TAG_KEY_PATTERN),
    additionalProperties: { type: 'string', pattern: '^[^\\u0000-\\u001f\\u007f]*$' },
    maxProperties: 10,
    description: 'Only e-mails with these tags: `tags[campaign]=spring`, up to ten',
    example: { campaign: 'spring' },
  })
  tags?: Record<string, string>;

  @QueryTime('Only e-mails accepted at or after this time')
  created_after?: string;

  @QueryTime('Only e-mails accepted before this time')
  created_before?: string;

  @QueryEnum(['true'], {
    description: 'Only e-mails that were accepted with `scheduled_at`, sent or not',
    example: 'true',
  })
  scheduled?: 'true';
}

/** An e-mail in a list: without bodies, headers and the states of its recipients. */
export class EmailItemDto implements EmailSummary {
  @IdProperty('em')
  id: string;

  @KindProperty('email')
  object: 'email';

  @EnumProperty(['live', 'test'], '`test` for e-mails of a test key or with `sandbox: true`, which are never delivered')
  mode: Mode;

  @EnumProperty(
    EMAIL_STATUSES,
    'The worst status of its recipients, in this order: complained, bounced, failed, deferred, sending, queued, delivered',
  )
  status: EmailStatus;

  @EnumProperty(LAST_EVENTS, 'The latest event. Opens and clicks appear here, never in `status`')
  last_event: LastEvent;

  @TextProperty('The sender, as given', 'Shop <orders@mail.example.com>')
  from: string;

  @TextsProperty('All To recipients', [ADDRESS])
  to: string[];

  @TextsProperty('All Cc recipients', [])
  cc: string[];

  @TextsProperty('All Bcc recipients', [])
  bcc: string[];

  @TextsProperty('Reply-To addresses; empty if replies go to the sender', [])
  reply_to: string[];

  @TextProperty('The subject line', 'Your order 1207 has shipped')
  subject: string;

  @ApiProperty({ ...stringMap, description: 'Your own metadata', example: { campaign: 'spring' } })
  tags: Record<string, string>;

  @TimeProperty()
  created_at: string;

  @TimeProperty('When its status last changed')
  updated_at: string;

  @NullableTimeProperty('When it is, or was, due to be sent')
  scheduled_at: string | null;

  @NullableTimeProperty('When the last receiving server accepted it; null until all have')
  delivered_at: string | null;

  @TextProperty('The Message-ID header', '<01978c0e5f7b7c3a9d21f0b64c1e88aa@mail.example.com>')
  message_id: string;

  @IdProperty('dom', 'The sending domain')
  domain_id: string;
}

export class EmailList extends listOf(EmailItemDto, 'em') {}

export class StoredAttachmentDto implements AttachmentView {
  @TextProperty('Stable for this file', 'att_6f1ed002ab5595859014ebf0951522d9')
  id: string;

  @TextProperty('The file name, as given', 'invoice.pdf')
  filename: string;

  @TextProperty('Media type of the file', 'application/pdf')
  content_type: string;

  @EnumProperty(['attachment', 'inline'], '`inline` for a file that the HTML body refers to by its `content_id`')
  content_disposition: 'attachment' | 'inline';

  @NullableTextProperty('The id by which the HTML body refers to the file: `cid:…`', 'logo')
  content_id: string | null;

  @IntegerProperty('Size in bytes', 20_481)
  size: number;
}

export class SmtpDto implements SmtpView {
  @IntegerProperty('The reply code; null if no server answered', 250, { nullable: true })
  code: number | null;

  @NullableTextProperty('Enhanced status code (RFC 3463)', '2.0.0')
  enhanced: string | null;

  @TextProperty('The reply text of the server, or the error that prevented a reply', 'OK queued as 4D1')
  text: string;

  @NullableTextProperty('Name of the receiving server; null if none was reached', 'mx1.example.com')
  mx: string | null;

  @NullableTextProperty('IP address of the receiving server; null if none was reached', '192.0.2.25')
  ip: string | null;

  @NullableTextProperty('TLS version and cipher; null if the connection was not encrypted', 'TLSv1.3')
  tls: string | null;
}

export class VisitsDto implements VisitsView {
  @IntegerProperty('Number of opens, those of bots included', 3)
  opens: number;

  @IntegerProperty('Opens of bots', 1)
  bot_opens: number;

  @NullableTimeProperty('The first open by a person')
  first_opened_at: string | null;

  @NullableTimeProperty('The last open by a person')
  last_opened_at: string | null;

  @IntegerProperty('Number of clicks, those of bots included', 1)
  clicks: number;

  @IntegerProperty('Clicks of bots', 0)
  bot_clicks: number;

  @NullableTimeProperty('The first click by a person')
  first_clicked_at: string | null;

  @NullableTimeProperty('The last click by a person')
  last_clicked_at: string | null;
}

export class RecipientDto implements RecipientView {
  @TextProperty('The bare address', ADDRESS)
  address: string;

  @EnumProperty(RECIPIENT_TYPES, 'The field that names the recipient')
  type: RecipientType;

  @EnumProperty(EMAIL_STATUSES, 'The status for this recipient')
  status: EmailStatus;

  @IntegerProperty('Number of finished attempts', 1)
  attempts: number;

  @ApiProperty({ type: SmtpDto, nullable: true, description: 'Result of the last attempt; null before the first' })
  smtp: SmtpDto | null;

  @NullableTimeProperty('When the next attempt is due; only while `deferred`')
  next_attempt_at: string | null;

  @ApiProperty({ type: VisitsDto, nullable: true, description: 'Opens and clicks; null if there are none' })
  visits: VisitsDto | null;
}

export class TrackedDto implements Tracking {
  @FlagProperty('Whether opens are tracked', true)
  opens: boolean;

  @FlagProperty('Whether clicks are tracked', false)
  clicks: boolean;
}

/** Response of `GET /emails/:id`. */
export class EmailDto extends EmailItemDto implements EmailView {
  @NullableTextProperty(
    'The HTML body; null if there is none, and after the retention period (30 days by default)',
    '<p>It is on its way.</p>',
  )
  html: string | null;

  @NullableTextProperty(
    'The plain-text body; null if there is none, and after the retention period (30 days by default)',
    'It is on its way.',
  )
  text: string | null;

  @ApiProperty({
    ...stringMap,
    description:
      'Your own header fields; empty for e-mails submitted over SMTP, and after the retention period (30 days by default)',
  })
  headers: Record<string, string>;

  @ApiProperty({
    type: [StoredAttachmentDto],
    description: 'Attachments; empty after the retention period (30 days by default)',
  })
  attachments: StoredAttachmentDto[];

  @ApiProperty({ type: [RecipientDto], description: 'Each recipient with its delivery status' })
  recipients: RecipientDto[];

  @NullableTextProperty('The failed e-mail that this one repeats', null)
  retry_of: string | null;

  @ApiProperty({
    type: TrackedDto,
    nullable: true,
    description: 'Tracking of the e-mail; null if neither opens nor clicks are tracked',
  })
  tracking: TrackedDto | null;
}

/** Body of `PATCH /emails/:id`. */
export class ChangeEmailDto {
  @FieldRule(scheduledAtRule, {
    required: true,
    type: String,
    format: 'date-time',
    description: 'The new time, at most 72 hours from now. A time up to 60 seconds in the past means now',
  })
  scheduled_at: string;
}

class EmailChangedDto {
  @KindProperty('email')
  object: 'email';

  @IdProperty('em')
  id: string;
}

export class EmailRescheduled extends EmailChangedDto {
  @TimeProperty('The time at which it will be sent')
  scheduled_at: string;
}

export class EmailCanceled extends EmailChangedDto {
  @EnumProperty(['canceled'], 'It will not be sent')
  status: 'canceled';
}

export class EmailRetried extends EmailChangedDto {
  @TextProperty('The e-mail that is repeated', exampleId('em'))
  retry_of: string;
}
