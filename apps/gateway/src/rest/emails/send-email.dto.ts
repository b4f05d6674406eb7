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
  messageTrackingRule,
  replyToRule,
  sandboxResultRule,
  scheduledAtRule,
  SIMULATED_RESULTS,
  subjectRule,
  SUPPRESSION_POLICIES,
  suppressionPolicyRule,
  tagsRule,
  toRule,
} from '#libs/emails';
import {
  HTTPS_PATTERN,
  IdProperty,
  IntegerProperty,
  KindProperty,
  LINE_PATTERN,
  MAILBOX_FORMAT,
  namedBy,
  NOT_BLANK_PATTERN,
  TAG_KEY_PATTERN,
  TEXT_PATTERN,
  TextProperty,
} from '../../openapi/properties.js';
import { noneOf, Refuses, together } from '../../openapi/refused-combinations.js';
import { FieldRule } from '../validation/field-rule.decorator.js';

const HEADER_NAME_PATTERN = '^[A-Za-z0-9-]{1,76}$';
/** Without path separators, controls, and a dot or space at the end. */
const FILENAME_PATTERN =
  '^[^/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*[^/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029. ]$';
const RESTRICTED_NAME = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}';
/** RFC 6838 §4.2, and parameters without control characters. */
const MEDIA_TYPE_PATTERN = `^${RESTRICTED_NAME}/${RESTRICTED_NAME}( *;[^\\u0000-\\u001f\\u007f]*)?$`;

const mailboxes = (minItems: number) => ({
  oneOf: [
    { type: 'string', format: MAILBOX_FORMAT },
    { type: 'array', items: { type: 'string', format: MAILBOX_FORMAT }, minItems, maxItems: LIMITS.recipientsPerField },
  ],
});

@Refuses(together('content', 'path'), noneOf('content', 'path'))
export class AttachmentDto {
  @TextProperty(
    'File name shown to the recipient, with its extension, without a path; at most 255 bytes',
    'invoice.pdf',
    { minLength: 1, maxLength: 255, pattern: FILENAME_PATTERN },
  )
  filename: string;

  @TextProperty('The file in base64 (RFC 4648 section 4). Give either `content` or `path`', 'JVBERi0xLjcK', {
    required: false,
    contentEncoding: 'base64',
  } as object)
  content?: string;

  @TextProperty(
    'Instead of `content`: an https URL. The file is fetched before the request is answered, within five seconds',
    'https://files.example.com/invoice.pdf',
    { required: false, format: 'uri', pattern: HTTPS_PATTERN, maxLength: 2048 },
  )
  path?: string;

  @TextProperty(
    'One of the ten allowed types: PDF, PNG, JPEG, GIF, WebP, TXT, CSV, XLSX, DOCX, ZIP, under any of its common names. ' +
      'Inferred if absent or `application/octet-stream`. Parameters are dropped, except the charset of text',
    'application/pdf',
    { required: false, pattern: MEDIA_TYPE_PATTERN },
  )
  content_type?: string;

  @TextProperty(
    'Makes the file inline: the HTML body refers to it as `cid:<content_id>`. Unique within the email',
    'logo',
    { required: false, pattern: "^[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~.@[\\]]{1,128}$" },
  )
  content_id?: string;
}

@Refuses(noneOf('url', 'mailto', { required: ['one_click'], properties: { one_click: { const: true } } }))
export class ListUnsubscribeDto {
  @TextProperty('An https URL of your own', 'https://example.com/unsubscribe?u=1', {
    required: false,
    format: 'uri',
    pattern: '^https://[!#-;=?-~]+$',
    maxLength: 900,
  })
  url?: string;

  @TextProperty('An address or a mailto: URI', 'unsubscribe@example.com', {
    required: false,
    format: 'mailto',
  })
  mailto?: string;

  @ApiProperty({
    required: false,
    description:
      'Announces one-click unsubscription (RFC 8058). The mail client sends a POST to `url`, or, if `url` is absent, to a ' +
      'link of this service that adds the recipient to the suppression list of the sending domain',
  })
  one_click?: boolean;
}

export class MessageTrackingDto {
  @ApiProperty({
    required: false,
    description: 'Inserts an image of one pixel, which mail clients load when the email is opened',
  })
  opens?: boolean;

  @ApiProperty({
    required: false,
    description: 'Replaces links by links of this service, which record the click and redirect',
  })
  clicks?: boolean;
}

/** Body of `POST /emails`, and each element of a batch. */
@Refuses(noneOf('html', 'text'))
export class SendEmailDto {
  @FieldRule(fromRule, {
    required: true,
    type: String,
    format: MAILBOX_FORMAT,
    description: 'Sender, as `address` or `Name <address>`. Its domain must be active in this account',
    example: 'Shop <orders@mail.example.com>',
  })
  from: string;

  @FieldRule(toRule, {
    required: true,
    ...mailboxes(1),
    description: 'One recipient, or an array of 1 to 50. Duplicates across to, cc and bcc are merged',
    example: ['user@example.com'],
  })
  to: string | string[];

  @FieldRule(subjectRule, {
    required: true,
    type: String,
    minLength: 1,
    maxLength: LIMITS.subjectLength,
    pattern: LINE_PATTERN,
    description: 'Subject line, 1 to 998 characters, no line breaks',
    example: 'Your order',
  })
  subject: string;

  @FieldRule(bodyRule, {
    requiredUnless: 'text',
    type: String,
    pattern: TEXT_PATTERN,
    description: 'HTML body. At least one of html and text is required',
    example: '<p>Thank you</p>',
  })
  html?: string;

  @FieldRule(bodyRule, {
    type: String,
    pattern: TEXT_PATTERN,
    description: 'Plain-text body, shown by mail clients that do not show HTML',
    example: 'Thank you',
  })
  text?: string;

  @FieldRule(ccRule, { ...mailboxes(0), description: 'Cc recipients, at most 50', example: ['copy@example.com'] })
  cc?: string | string[];

  @FieldRule(bccRule, { ...mailboxes(0), description: 'Bcc recipients, at most 50', example: ['log@example.com'] })
  bcc?: string | string[];

  @FieldRule(replyToRule, {
    ...mailboxes(0),
    description: 'Reply-To addresses, at most 50',
    example: 'support@example.com',
  })
  reply_to?: string | string[];

  @FieldRule(attachmentsRule, {
    members: ['filename', 'content', 'path', 'content_type', 'content_id'],
    type: [AttachmentDto],
    maxItems: LIMITS.attachmentCount,
    description: 'At most 10 files. The whole email may have at most 10 MiB',
  })
  attachments?: AttachmentDto[];

  @FieldRule(headersRule, {
    type: 'object',
    ...namedBy(HEADER_NAME_PATTERN),
    additionalProperties: { type: 'string', maxLength: LIMITS.structuredHeaderBytes, pattern: NOT_BLANK_PATTERN },
    maxProperties: LIMITS.headerCount,
    description:
      'Additional header fields: at most 50, each at most 2 KiB, or 32 KiB for structured ones such as `References`. Header fields that the service sets itself are refused',
    example: { 'X-Order': '4711' },
  })
  headers?: Record<string, string>;

  @FieldRule(tagsRule, {
    oneOf: [
      {
        type: 'object',
        ...namedBy(TAG_KEY_PATTERN),
        additionalProperties: { type: 'string', maxLength: LIMITS.tagValueLength, pattern: LINE_PATTERN },
        maxProperties: LIMITS.tagCount,
      },
      {
        type: 'array',
        maxItems: LIMITS.tagCount,
        items: {
          type: 'object',
          required: ['name', 'value'],
          properties: {
            name: { type: 'string', description: 'The key', pattern: TAG_KEY_PATTERN, example: 'order' },
            value: {
              type: 'string',
              description: 'The value',
              maxLength: LIMITS.tagValueLength,
              pattern: LINE_PATTERN,
              example: '4711',
            },
          },
        },
      },
    ],
    description:
      'Your own metadata, usable as a filter: at most 50 pairs, keys of `[A-Za-z0-9_.-]`, values of at most 50 characters',
    example: { order: '4711' },
  })
  tags?: Record<string, string> | { name: string; value: string }[];

  @FieldRule(scheduledAtRule, {
    type: String,
    format: 'date-time',
    description:
      'When to send: ISO 8601 with an offset, at most 72 hours ahead. A time up to 60 seconds in the past means now',
  })
  scheduled_at?: string;

  @FieldRule(suppressionPolicyRule, {
    enum: SUPPRESSION_POLICIES,
    default: 'reject',
    description:
      'How to handle suppressed recipients: `reject` refuses the email with 422, `skip` sends it to the other recipients',
  })
  suppression_policy?: (typeof SUPPRESSION_POLICIES)[number];

  @FieldRule(expiresInRule, {
    type: 'integer',
    minimum: EXPIRES_IN.least,
    maximum: EXPIRES_IN.most,
    description: 'Seconds after which delivery is abandoned, 300 to 432000; 72 hours if absent',
    example: 3600,
  })
  expires_in?: number;

  @FieldRule(listUnsubscribeRule, {
    members: ['url', 'mailto', 'one_click'],
    oneOf: [{ $ref: getSchemaPath(ListUnsubscribeDto) }, { type: 'boolean', enum: [true] }],
    description:
      'Sets List-Unsubscribe and, with `one_click`, List-Unsubscribe-Post. Both are covered by the DKIM signature. ' +
      '`true` is short for `{"one_click": true}`',
  })
  list_unsubscribe?: ListUnsubscribeDto | true;

  @FieldRule(messageTrackingRule, {
    members: ['opens', 'clicks'],
    type: MessageTrackingDto,
    description:
      'Whether opens and clicks of this email are tracked; a missing member means the setting of the domain. Needs the ' +
      'verified `Tracking` record of the domain',
  })
  tracking?: MessageTrackingDto;

  @FieldRule(booleanRule, {
    type: Boolean,
    default: false,
    description: 'Treats this email like one of a test key: it is never delivered',
  })
  sandbox?: boolean;

  @FieldRule(sandboxResultRule, {
    type: String,
    pattern: `^(?:${SIMULATED_RESULTS.join('|')}|ooto|slow\\+[0-9]{1,2})$`,
    description:
      'The simulated outcome of a test email: delivered, bounced, softbounced, deferred, failed, complained, ' +
      'suppressed, opened, clicked, ooto or slow+N (N seconds)',
    example: 'bounced',
  })
  sandbox_result?: string;
}

/** Response of `POST /emails`. */
export class EmailCreated {
  @IdProperty('em', 'The id of the email')
  id: string;

  @KindProperty('email')
  object: 'email';
}

/** A refused element in the response to a permissive batch. */
export class BatchElementRefused {
  @KindProperty('error')
  object: 'error';

  @IntegerProperty('Its position in the request, from 0', 3)
  index: number;

  @TextProperty('The same as in the response to a single email', 'unprocessable_entity')
  error: string;

  @TextProperty('A human-readable sentence', 'A recipient is on the suppression list.')
  message: string;
}
