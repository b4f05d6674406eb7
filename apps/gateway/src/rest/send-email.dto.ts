import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { LIMITS } from '#libs/contracts';
import {
  attachmentsRule,
  bccRule,
  bodyRule,
  booleanRule,
  ccRule,
  EXPIRES_IN,
  expiresInRule,
  fromRule,
  headersRule,
  listUnsubscribeRule,
  replyToRule,
  sandboxResultRule,
  scheduledAtRule,
  subjectRule,
  SUPPRESSION_POLICIES,
  suppressionPolicyRule,
  tagsRule,
  toRule,
} from '#libs/emails';
import { ByRule } from './by-rule.js';

const mailboxes = (least: number) => ({
  oneOf: [
    { type: 'string' },
    { type: 'array', items: { type: 'string' }, minItems: least, maxItems: LIMITS.recipientsPerField },
  ],
});

export class AttachmentDto {
  @ApiProperty({
    description: 'File name shown to the recipient, with extension; at most 255 bytes, no path',
    example: 'invoice.pdf',
  })
  filename: string;

  @ApiProperty({
    required: false,
    description: 'The file in base64 (RFC 4648 §4). Either this or `path`',
    example: 'JVBERi0xLjcK',
  })
  content?: string;

  @ApiProperty({
    required: false,
    description: 'Instead of `content`: an https URL from which the file is fetched at accept, within five seconds',
    example: 'https://files.example.com/invoice.pdf',
  })
  path?: string;

  @ApiProperty({
    required: false,
    description:
      'One of the ten allowed types: PDF, PNG, JPEG, GIF, WebP, TXT, CSV, XLSX, DOCX, ZIP; inferred if absent',
    example: 'application/pdf',
  })
  content_type?: string;

  @ApiProperty({
    required: false,
    pattern: '^[A-Za-z0-9._@-]{1,128}$',
    description: 'Makes the file inline: the HTML names it as `cid:<content_id>`. Unique within the mail',
    example: 'logo',
  })
  content_id?: string;
}

export class ListUnsubscribeDto {
  @ApiProperty({
    required: false,
    description: 'An https URL of your own',
    example: 'https://example.com/unsubscribe?u=1',
  })
  url?: string;

  @ApiProperty({ required: false, description: 'An address or a mailto: URI', example: 'unsubscribe@example.com' })
  mailto?: string;

  @ApiProperty({
    required: false,
    description:
      'Announce one-click unsubscription (RFC 8058): by POST to `url`, or without one to a link of this service, ' +
      'which puts the recipient on the suppression list of the sending domain',
  })
  one_click?: boolean;
}

/** Body of `POST /emails`, and each element of a batch. */
export class SendEmailDto {
  @ByRule(fromRule, {
    required: true,
    doc: {
      type: String,
      description: 'Sender, as `address` or `Name <address>`. Its domain must be active in this account',
      example: 'Shop <orders@mail.example.com>',
    },
  })
  from: string;

  @ByRule(toRule, {
    required: true,
    doc: {
      ...mailboxes(1),
      description: 'Recipients: one, or an array of 1 to 50. Duplicates across to, cc and bcc collapse',
      example: ['user@example.com'],
    },
  })
  to: string | string[];

  @ByRule(subjectRule, {
    required: true,
    doc: {
      type: String,
      minLength: 1,
      maxLength: LIMITS.subjectLength,
      description: 'Subject line, 1 to 998 characters, no line breaks',
      example: 'Your order',
    },
  })
  subject: string;

  @ByRule(bodyRule, {
    requiredUnless: 'text',
    doc: { type: String, description: 'HTML body. At least one of html and text', example: '<p>Thank you</p>' },
  })
  html?: string;

  @ByRule(bodyRule, {
    doc: { type: String, description: 'Plain-text body, the fallback of mail clients', example: 'Thank you' },
  })
  text?: string;

  @ByRule(ccRule, { doc: { ...mailboxes(0), description: 'CC recipients, at most 50', example: ['copy@example.com'] } })
  cc?: string | string[];

  @ByRule(bccRule, {
    doc: { ...mailboxes(0), description: 'Recipients whom nobody else sees, at most 50', example: ['log@example.com'] },
  })
  bcc?: string | string[];

  @ByRule(replyToRule, {
    doc: { ...mailboxes(0), description: 'Where answers go, at most 50', example: 'support@example.com' },
  })
  reply_to?: string | string[];

  @ByRule(attachmentsRule, {
    doc: { type: [AttachmentDto], maxItems: LIMITS.attachmentCount, description: 'At most 10 files; 10 MiB in all' },
  })
  attachments?: AttachmentDto[];

  @ByRule(headersRule, {
    doc: {
      type: 'object',
      additionalProperties: { type: 'string', maxLength: LIMITS.headerValueBytes },
      maxProperties: LIMITS.headerCount,
      description: 'Extra header fields, at most 50 of at most 2 KiB; names that the service sets itself are refused',
      example: { 'X-Order': '4711' },
    },
  })
  headers?: Record<string, string>;

  @ByRule(tagsRule, {
    doc: {
      oneOf: [
        {
          type: 'object',
          additionalProperties: { type: 'string', maxLength: LIMITS.tagValueLength },
          maxProperties: LIMITS.tagCount,
        },
        {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'value'],
            properties: {
              name: { type: 'string', description: 'The key', maxLength: LIMITS.tagKeyLength, example: 'order' },
              value: { type: 'string', description: 'Its value', maxLength: LIMITS.tagValueLength, example: '4711' },
            },
          },
        },
      ],
      description:
        'Own metadata for filters: at most 50 pairs, keys of `[A-Za-z0-9_.-]`, values of at most 50 characters',
      example: { order: '4711' },
    },
  })
  tags?: Record<string, string> | { name: string; value: string }[];

  @ByRule(scheduledAtRule, {
    doc: {
      type: String,
      format: 'date-time',
      description: 'When to send, ISO 8601 with an offset, at most 72 hours ahead; up to 60 s in the past mean now',
      example: '2026-01-31T09:30:00Z',
    },
  })
  scheduled_at?: string;

  @ByRule(suppressionPolicyRule, {
    doc: {
      enum: SUPPRESSION_POLICIES,
      default: 'reject',
      description: 'What suppressed recipients do: `reject` refuses the mail with 422, `skip` sends it to the others',
    },
  })
  suppression_policy?: (typeof SUPPRESSION_POLICIES)[number];

  @ByRule(expiresInRule, {
    doc: {
      type: 'integer',
      minimum: EXPIRES_IN.least,
      maximum: EXPIRES_IN.most,
      description: 'Seconds after which delivery is given up, 300 to 432000; 72 hours if absent',
      example: 3600,
    },
  })
  expires_in?: number;

  @ByRule(listUnsubscribeRule, {
    doc: {
      oneOf: [{ $ref: getSchemaPath(ListUnsubscribeDto) }, { type: 'boolean', enum: [true] }],
      description:
        'Sets List-Unsubscribe, and List-Unsubscribe-Post with `one_click`; both are signed. ' +
        '`true` is short for `{"one_click": true}`',
    },
  })
  list_unsubscribe?: ListUnsubscribeDto | true;

  @ByRule(booleanRule, {
    doc: {
      type: Boolean,
      default: false,
      description: 'Treat this mail like one of a test key: it is never delivered',
    },
  })
  sandbox?: boolean;

  @ByRule(sandboxResultRule, {
    doc: {
      type: String,
      description:
        'What shall happen to a test mail: delivered, bounced, softbounced, deferred, failed, complained, suppressed, ' +
        'opened, clicked, ooto or slow+N (N seconds)',
      example: 'bounced',
    },
  })
  sandbox_result?: string;
}

/** Answer of `POST /emails`. */
export class EmailCreated {
  @ApiProperty({ description: 'The id of the e-mail', example: 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa' })
  id: string;

  @ApiProperty({ enum: ['email'] })
  object: 'email';
}

/** A refused element in the answer to a permissive batch. */
export class BatchElementRefused {
  @ApiProperty({ enum: ['error'] })
  object: 'error';

  @ApiProperty({ type: 'integer', description: 'Its place in the request, from 0', example: 3 })
  index: number;

  @ApiProperty({ description: 'As in the answer to a single mail', example: 'unprocessable_entity' })
  error: string;

  @ApiProperty({ description: 'A sentence for people', example: 'A recipient is on the suppression list.' })
  message: string;
}
