import { EMAIL_EVENT_TYPES, fields, type sentences, type ServiceEvent, type Shape, type ViewOf } from '#libs/contracts';
import type { TlsPolicyName } from '#libs/mta';
import { smtp } from './email.resource.js';

const TLS_POLICIES = ['opportunistic', 'enforced', 'sts', 'sts_testing', 'dane'] as const satisfies (TlsPolicyName &
  keyof typeof sentences.TLS_POLICIES)[];

/** An event as all interfaces show it (docs/decisions/018-status-and-events.md), with its id. */
export const eventOfEmail = {
  name: 'EmailEvent',
  about: 'An event of an email, as webhooks receive it.',
  fields: {
    id: fields.id('evt', 'The same id as in webhooks and in `GET /events`'),
    type: fields.choice<ServiceEvent['type']>(EMAIL_EVENT_TYPES, 'The type of the event'),
    created_at: fields.time('When it happened'),
    data: fields.map<ServiceEvent['data']>('The same as in the call of a webhook'),
  },
} as const satisfies Shape;
export interface EventView extends ViewOf<typeof eventOfEmail> {}

export const earlierHost = {
  name: 'EarlierHost',
  about: 'A server that an attempt tried first, and why it failed.',
  fields: {
    ...smtp.fields,
    phase: fields.text('The phase in which it failed, such as `connect`, `tls` or `rcpt`', 'connect'),
  },
} as const satisfies Shape;
export interface EarlierHostView extends ViewOf<typeof earlierHost> {}

export const attemptSecurity = {
  name: 'AttemptSecurity',
  about: 'TLS of the connection of an attempt.',
  fields: {
    version: fields.text('Protocol version', 'TLSv1.3'),
    cipher: fields.text('Cipher suite', 'TLS_AES_256_GCM_SHA384').orNull(),
    verified: fields.flag('Whether the certificate was verified as the policy requires'),
    policy: fields.choice(TLS_POLICIES, 'The TLS policy of the connection'),
  },
} as const satisfies Shape;

export const attempt = {
  name: 'Attempt',
  about: 'An attempt to deliver an email to one recipient.',
  fields: {
    id: fields.id('atm'),
    object: fields.kind('attempt'),
    recipient: fields.text('The recipient', 'user@example.com'),
    number: fields.integer('Counts up per recipient, from 1', 1),
    outcome: fields.choice(['delivered', 'bounced', 'deferred'], '`deferred`: the recipient is tried again'),
    certainty: fields
      .choice(
        ['answered', 'not_sent', 'unknown_outcome'],
        'For a deferred recipient. `answered`: the server replied; `not_sent`: the message was not sent; ' +
          '`unknown_outcome`: the message was sent but no reply arrived, so it may be delivered twice',
      )
      .orNull(),
    phase: fields
      .text(
        'The phase in which the attempt ended, such as `connect`, `tls`, `rcpt` or `data`; null for a delivery',
        'rcpt',
      )
      .orNull(),
    smtp: fields.object(smtp, 'The reply of the receiving server').orNull(),
    earlier: fields.objects(
      earlierHost,
      'Servers tried before the one that decided the outcome, in order, and why each failed. A server appears twice if it was tried without TLS ' +
        'after its TLS failed',
    ),
    security: fields
      .object(attemptSecurity, 'TLS of the connection; null if it was not encrypted or no server was reached')
      .orNull(),
    tls_policy: fields
      .choice(
        TLS_POLICIES,
        'The TLS policy that applied. `opportunistic`: TLS if offered; `enforced`: required by the setting of the sending ' +
          'domain; `sts`, `sts_testing`: MTA-STS of the receiving domain; `dane`: its TLSA records. Null if no server was reached',
      )
      .orNull(),
    source_ip: fields
      .text('Source address of the connection; null if the operating system chose it', '198.51.100.7')
      .orNull(),
    provider: fields.text('The mailbox provider of the server; null if it is not a known one', 'google').orNull(),
    started_at: fields.time('When the attempt started'),
    ended_at: fields.time('When the attempt ended'),
  },
} as const satisfies Shape;
export interface AttemptView extends ViewOf<typeof attempt> {}
