import {
  fields,
  formats,
  LIMITS,
  resource,
  simulations,
  type Field,
  type FieldSchema,
  type Shape,
  type ViewOf,
} from '#libs/contracts';
import { PRIORITIES } from './email.resource.js';
import type { AttachmentInput } from './intake/attachments/attachment-rules.js';
import {
  booleanRule,
  EXPIRES_IN,
  expiresInRule,
  listUnsubscribeRule,
  messageTrackingRule,
  priorityRule,
  SUPPRESSION_POLICIES,
  suppressionPolicyRule,
  type ListUnsubscribe,
} from './intake/rules/option-rules.js';
import {
  attachmentsRule,
  bccRule,
  bodyRule,
  ccRule,
  fromRule,
  headersRule,
  replyToRule,
  scheduledAtRule,
  subjectRule,
  tagsRule,
  toRule,
} from './intake/rules/submission-rules.js';

const HEADER_NAME_PATTERN = '^[A-Za-z0-9-]{1,76}$';
/** Without path separators, controls, and a dot or space at the end. */
const FILENAME_PATTERN =
  '^[^/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*[^/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029. ]$';
const RESTRICTED_NAME = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}';
/** RFC 6838 §4.2, and parameters without control characters. */
const MEDIA_TYPE_PATTERN = `^${RESTRICTED_NAME}/${RESTRICTED_NAME}( *;[^\\u0000-\\u001f\\u007f]*)?$`;
const MAILBOX: FieldSchema = { type: 'string', format: formats.MAILBOX_FORMAT };
const TAG_KEY: FieldSchema = { pattern: formats.TAG_KEY_PATTERN };
const TAG_VALUE = { type: 'string', maxLength: LIMITS.tagValueLength, pattern: formats.LINE_PATTERN } as const;

/** One mailbox, or an array of at least `minItems`. */
const mailboxes = (minItems: number): FieldSchema[] => [
  MAILBOX,
  { type: 'array', items: MAILBOX, minItems, maxItems: LIMITS.recipientsPerField },
];
const without = (name: string) => ({ not: { required: [name] } });

export const attachment = {
  name: 'Attachment',
  about: 'An attachment of an email.',
  not: { anyOf: [{ required: ['content', 'path'] }, { allOf: [without('content'), without('path')] }] },
  fields: {
    filename: fields
      .text('File name shown to the recipient, with its extension, without a path; at most 255 bytes', 'invoice.pdf', {
        minLength: 1,
        maxLength: 255,
        pattern: FILENAME_PATTERN,
      })
      .given(null, { required: true }),
    content: fields
      .text('The file in base64 (RFC 4648 section 4). Give either `content` or `path`', 'JVBERi0xLjcK', {
        contentEncoding: 'base64',
      })
      .given(null),
    path: fields
      .text(
        'Instead of `content`: an https URL. The file is fetched before the request is answered, within five seconds',
        'https://files.example.com/invoice.pdf',
        { format: 'uri', pattern: formats.HTTPS_PATTERN, maxLength: 2048 },
      )
      .given(null),
    content_type: fields
      .text(
        'One of the ten allowed types: PDF, PNG, JPEG, GIF, WebP, TXT, CSV, XLSX, DOCX, ZIP, under any of its common names. ' +
          'Inferred if absent or `application/octet-stream`. Parameters are dropped, except the charset of text',
        'application/pdf',
        { pattern: MEDIA_TYPE_PATTERN },
      )
      .given(null),
    content_id: fields
      .text(
        'Makes the file inline: the HTML body refers to it as `cid:<content_id>`. Unique within the email',
        'logo',
        { pattern: "^[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~.@[\\]]{1,128}$" },
      )
      .given(null),
  },
} as const satisfies Shape;

export const listUnsubscribe = {
  name: 'ListUnsubscribe',
  about: 'The header field List-Unsubscribe of an email, covered by its DKIM signature.',
  not: {
    allOf: [
      without('url'),
      without('mailto'),
      { not: { required: ['one_click'], properties: { one_click: { const: true } } } },
    ],
  },
  fields: {
    url: fields
      .text('An https URL of your own', 'https://example.com/unsubscribe?u=1', {
        format: 'uri',
        pattern: '^https://[!#-;=?-~]+$',
        maxLength: 900,
      })
      .given(null),
    mailto: fields.text('An address or a mailto: URI', 'unsubscribe@example.com', { format: 'mailto' }).given(null),
    one_click: fields
      .flag(
        'Announces one-click unsubscription (RFC 8058). The mail client sends a POST to `url`, or, if `url` is absent, to a ' +
          'link of this service that adds the recipient to the suppression list of the sending domain',
      )
      .given(null),
  },
} as const satisfies Shape;

export const messageTracking = {
  name: 'MessageTracking',
  about: 'Whether opens and clicks of an email are tracked.',
  fields: {
    opens: fields.flag('Inserts an image of one pixel, which mail clients load when the email is opened').given(null),
    clicks: fields.flag('Replaces links by links of this service, which record the click and redirect').given(null),
  },
} as const satisfies Shape;

type Given<T> = Field<T, T, false, 'create'>;
const attachments: Given<AttachmentInput[]> = fields
  .objects(attachment, 'At most 10 files. The whole email may have at most 10 MiB')
  .given(attachmentsRule, { schema: { maxItems: LIMITS.attachmentCount } });
const tracking: Given<Partial<ViewOf<typeof messageTracking>>> = fields
  .object(
    messageTracking,
    'Whether opens and clicks of this email are tracked; a missing member means the setting of the domain. Needs the ' +
      'verified `Tracking` record of the domain',
  )
  .given(messageTrackingRule);
const list_unsubscribe: Given<ListUnsubscribe | true> = fields
  .object(
    listUnsubscribe,
    'Sets List-Unsubscribe and, with `one_click`, List-Unsubscribe-Post. Both are covered by the DKIM signature. ' +
      '`true` is short for `{"one_click": true}`',
  )
  .given(listUnsubscribeRule, { schema: { oneOf: [{ type: 'boolean', enum: [true] }] } });

/**
 * An email to send: the body of a request over REST, each email of a batch, and the input over GraphQL. `newSubmission` makes a
 * submission of it.
 */
export const newEmail = resource({
  name: 'SendEmail',
  about: 'An email to send.',
  not: { allOf: [without('html'), without('text')] },
  fields: {
    from: fields
      .text(
        'Sender, as `address` or `Name <address>`. Its domain must be active in this account',
        'Shop <orders@mail.example.com>',
        { format: formats.MAILBOX_FORMAT },
      )
      .given(fromRule, { required: true }),
    to: fields
      .oneOf<string | string[]>(
        'One recipient, or an array of 1 to 50. Duplicates across to, cc and bcc are merged',
        ['user@example.com'],
        mailboxes(1),
      )
      .given(toRule, { required: true }),
    subject: fields
      .text('Subject line, 1 to 998 characters, no line breaks', 'Your order', {
        minLength: 1,
        maxLength: LIMITS.subjectLength,
        pattern: formats.LINE_PATTERN,
      })
      .given(subjectRule, { required: true }),
    html: fields
      .text('HTML body. At least one of html and text is required', '<p>Thank you</p>', {
        pattern: formats.TEXT_PATTERN,
      })
      .given(bodyRule, { requiredUnless: 'text' }),
    text: fields
      .text('Plain-text body, shown by mail clients that do not show HTML', 'Thank you', {
        pattern: formats.TEXT_PATTERN,
      })
      .given(bodyRule),
    cc: fields.oneOf<string | string[]>('Cc recipients, at most 50', ['copy@example.com'], mailboxes(0)).given(ccRule),
    bcc: fields
      .oneOf<string | string[]>('Bcc recipients, at most 50', ['log@example.com'], mailboxes(0))
      .given(bccRule),
    reply_to: fields
      .oneOf<string | string[]>('Reply-To addresses, at most 50', 'support@example.com', mailboxes(0))
      .given(replyToRule),
    attachments,
    headers: fields
      .map<Record<string, string>>(
        'Additional header fields: at most 50, each at most 2 KiB, or 32 KiB for structured ones such as `References`. Header fields that the service sets itself are refused',
        { 'X-Order': '4711' },
        { type: 'string', maxLength: LIMITS.structuredHeaderBytes, pattern: formats.NOT_BLANK_PATTERN },
      )
      .given(headersRule, {
        schema: { propertyNames: { pattern: HEADER_NAME_PATTERN }, maxProperties: LIMITS.headerCount },
      }),
    tags: fields
      .oneOf<Record<string, string> | { name: string; value: string }[]>(
        'Your own metadata, usable as a filter: at most 50 pairs, keys of `[A-Za-z0-9_.-]`, values of at most 50 characters',
        { order: '4711' },
        [
          { type: 'object', propertyNames: TAG_KEY, additionalProperties: TAG_VALUE, maxProperties: LIMITS.tagCount },
          {
            type: 'array',
            maxItems: LIMITS.tagCount,
            items: {
              type: 'object',
              required: ['name', 'value'],
              properties: {
                name: { type: 'string', description: 'The key', ...TAG_KEY, example: 'order' },
                value: { ...TAG_VALUE, description: 'The value', example: '4711' },
              },
            },
          },
        ],
      )
      .given(tagsRule),
    // Without an example, which would soon be in the past and refused.
    scheduled_at: fields
      .text(
        'When to send: ISO 8601 with an offset, at most 72 hours ahead. A time up to 60 seconds in the past means now',
        undefined,
        { format: 'date-time' },
      )
      .given(scheduledAtRule),
    suppression_policy: fields
      .choice(
        SUPPRESSION_POLICIES,
        'How to handle suppressed recipients: `reject` refuses the email with 422, `skip` sends it to the other recipients',
      )
      .given(suppressionPolicyRule, { schema: { default: 'reject' } }),
    priority: fields
      .choice(
        PRIORITIES,
        '`bulk` yields to the transactional emails of this account at the same destination, and takes one place in ten while ' +
          'these wait. Other accounts are not affected',
      )
      .given(priorityRule, { schema: { default: 'transactional' } }),
    expires_in: fields
      .integer('Seconds after which delivery is abandoned, 300 to 432000; 72 hours if absent', 3600, {
        minimum: EXPIRES_IN.least,
        maximum: EXPIRES_IN.most,
      })
      .given(expiresInRule),
    list_unsubscribe,
    tracking,
    sandbox: fields
      .flag('Treats this email like one of a test key: it is never delivered', undefined, { default: false })
      .given(booleanRule),
    sandbox_result: fields
      .text(
        'The simulated outcome of a test email: delivered, bounced, softbounced, deferred, failed, complained, ' +
          'suppressed, opened, clicked, ooto or slow+N (N seconds)',
        'bounced',
        { pattern: `^(?:${simulations.names.join('|')}|ooto|slow\\+[0-9]{1,2})$` },
      )
      .given(simulations.rule),
  },
});

type Fields = ViewOf<typeof newEmail>;
type Required = 'from' | 'to' | 'subject';
export interface NewEmail extends Pick<Fields, Required>, Partial<Omit<Fields, Required>> {}
