import { fields, formats, resource, type ChangesOf, type RowOf, type Shape, type ViewOf } from '#libs/contracts';
import { RECORD_KINDS } from './model/expected-records.js';
import type { Finding } from './verification/finding.js';
import {
  domainNameRule,
  ENVELOPE_POLICIES,
  envelopePolicyRule,
  linkPatternsRule,
  retentionDaysRule,
  TLS_POLICIES,
  tlsPolicyRule,
  trackingRule,
} from './model/domain-rules.js';

const NAME = 'mail.example.com';
const KEY_NAME = `plabcdefgh._domainkey.${NAME}`;
const CNAME_TARGET = 'plabcdefgh.01978c0e5f7b7c3a9d21f0b64c1e88aa.dkim.postloft.test';
const KEY_RECORD = 'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA…';

/** A DNS record that the owner should publish. */
export const domainRecord = {
  name: 'DomainRecord',
  about: 'A DNS record to publish for a sending domain.',
  fields: {
    record: fields.choice(
      RECORD_KINDS,
      'The purpose of the record. Optional are the second DKIM key (Ed25519), the alias for bounces (aligns SPF), the ' +
        'alias for open and click tracking, and TLS reporting',
      'DKIM',
    ),
    type: fields.choice(['TXT', 'CNAME'], 'Type of the DNS record', 'TXT'),
    name: fields.text('Full name of the DNS record. Many DNS panels append the zone automatically', KEY_NAME),
    value: fields.text(
      'The required value. If the domain already has an SPF record, this is that record with the include of this service added. A value ' +
        'longer than 255 characters may have to be split into several strings',
      KEY_RECORD,
    ),
    cname: fields
      .text(
        'For a DKIM record: the target of a CNAME that can be published instead of the TXT record. Keys can then be rotated ' +
          'without a DNS change, see `dkim.cnames`',
        CNAME_TARGET,
      )
      .orNull(),
    ttl: fields.choice(['Auto'], 'Any time to live is accepted', 'Auto'),
    status: fields.choice(
      ['pending', 'verified', 'failed', 'vouched'],
      '`pending`: not published yet. `failed`: the value differs, or a required record is missing; see `error`. ' +
        '`vouched`: not checked, because the operator vouches for the domain; it may be missing',
      'verified',
    ),
    required: fields.flag('A domain becomes active when all required records are verified', true),
    last_checked_at: fields.time('When DNS last answered; null if it never did').orNull(),
    observed: fields.texts('The values found in DNS by the last check', [KEY_RECORD], { maxItems: 10 }),
    error: fields
      .text(
        'The problem and its solution, in one sentence; a warning if the status is `verified`, the reason if it is `vouched`',
        null,
      )
      .orNull(),
  },
} as const satisfies Shape;
export interface DomainRecord extends ViewOf<typeof domainRecord> {}

export const dkimCname = {
  name: 'DkimCname',
  about: 'A CNAME record that can be published instead of a DKIM TXT record.',
  fields: {
    name: fields.text('Name of the CNAME record to publish', KEY_NAME),
    value: fields.text('Target of the CNAME record, where the operator publishes the key', CNAME_TARGET),
  },
} as const satisfies Shape;

export const dkimRotation = {
  name: 'DkimRotation',
  about: 'A rotation of the DKIM keys of a domain.',
  fields: {
    status: fields.choice(
      ['pending', 'verified', 'switched'],
      '`pending`: the new records are not in DNS yet. `verified`: the new records were found and will be checked once ' +
        'more. `switched`: emails are signed with the new keys; the old records must stay for a while',
      'pending',
    ),
    started_at: fields.time('When the rotation was requested'),
    verified_at: fields.time('When the new records were first found', null).orNull(),
    switched_at: fields.time('When signing with the new keys started', null).orNull(),
    keep_old_until: fields
      .time('Until when the old records must stay in DNS: seven days after the switch', null)
      .orNull(),
  },
} as const satisfies Shape;
export interface RotationView extends ViewOf<typeof dkimRotation> {}

export const dkim = {
  name: 'Dkim',
  about: 'DKIM signing of a domain.',
  fields: {
    signing_since: fields.time('Since when emails are signed with the current keys').orNull(),
    rotation: fields.object(dkimRotation, 'The key rotation in progress, if any').orNull(),
    cnames: fields.objects(
      dkimCname,
      'CNAME records that can be published once instead of the DKIM TXT records. Keys alternate between these names, so a ' +
        'rotation needs no DNS change. The first two are for the RSA keys, the others for the optional Ed25519 keys',
    ),
  },
} as const satisfies Shape;
export interface DkimView extends ViewOf<typeof dkim> {}

export const domain = resource({
  name: 'Domain',
  about: 'A sending domain of the account.',
  table: 'domains',
  fields: {
    id: fields.id('dom').stored(),
    object: fields.kind('domain'),
    name: fields
      .text('In lower case, internationalised names as A-labels', NAME, { pattern: formats.DOMAIN_PATTERN })
      .stored()
      .given(domainNameRule, {
        required: true,
        schema: {
          maxLength: 253,
          // Wider than the pattern of responses: names in other scripts are accepted too.
          pattern: '^(?:[^\\u0000-,./:-@\\[-`{-\\u00a0]+\\.)+(?![0-9]+\\.?$)[^\\u0000-,./:-@\\[-`{-\\u00a0]+\\.?$',
          description:
            'The part of sender addresses after the @; each subdomain must be added on its own. Stored in lower case, ' +
            'internationalised names as A-labels (`xn--…`). Public suffixes (`co.uk`, `github.io`), IP addresses, single ' +
            'labels and the names of the service itself are refused',
        },
      }),
    status: fields
      .choice(
        ['pending', 'active', 'failed'],
        '`pending`: the DNS records are not verified yet. `active`: may send. `failed`: not verified within 72 hours, or a ' +
          'required record was missing for 24 hours. A failed domain becomes active again when its records are found',
        'pending',
      )
      .stored(),
    created_at: fields.time().stored(),
    region: fields.text('The region in which emails are processed, as set by the operator', 'eu'),
    open_tracking: fields
      .flag(
        'Whether to track opens, unless an email says otherwise. Takes effect once the `Tracking` record is verified',
        false,
      )
      .stored()
      .settable(trackingRule),
    click_tracking: fields
      .flag(
        'Whether to track clicks, unless an email says otherwise. Takes effect once the `Tracking` record is verified',
        false,
      )
      .stored()
      .settable(trackingRule),
    tracking_privacy: fields
      .flag('Whether opens and clicks are recorded without the address and the user agent of the client', false)
      .stored()
      .settable(trackingRule),
    tracking_exclude: fields
      .texts(
        'Links that are not tracked, such as one-time links: a host (`login.example.com`, `*.example.com`), or a host with a ' +
          'path (`example.com/reset/*`), without a scheme; `*` stands for any text',
        ['login.example.com', 'example.com/reset/*'],
        {
          items: { type: 'string', maxLength: 200, pattern: '^(?![Hh][Tt][Tt][Pp][Ss]?:)[!-~]+$' },
          maxItems: 50,
        },
      )
      .stored()
      .settable(linkPatternsRule),
    tls: fields
      .choice(
        TLS_POLICIES,
        '`opportunistic`: use TLS if the receiving server offers it. `enforced`: send only over TLS to a server whose ' +
          'certificate matches its name (or its DANE records); otherwise the email is deferred and retried',
        'opportunistic',
      )
      .stored()
      .settable(tlsPolicyRule),
    envelope: fields
      .choice(
        ENVELOPE_POLICIES,
        '`shared`: recipients of one email at the same domain are sent in one SMTP transaction and share a return path. ' +
          '`per_recipient`: each recipient has a transaction and a return path of its own, so that every bounce and complaint ' +
          'can be assigned to one recipient without further proof; sending takes longer',
        'shared',
      )
      .stored()
      .settable(envelopePolicyRule),
    body_retention_days: fields
      .integer(
        'Days after which the text, HTML and attachments of settled emails are deleted; null: the period of the service, ' +
          'which is the longest possible',
        7,
        { minimum: 1, maximum: 365 },
      )
      .orNull()
      .stored()
      .settable(retentionDaysRule),
    captured_retention_days: fields
      .integer(
        'Days after which captured messages are deleted; null: the period of the service, the longest possible',
        null,
        { minimum: 1, maximum: 365 },
      )
      .orNull()
      .stored()
      .settable(retentionDaysRule),
    verified_at: fields.time('When the domain last became active after verification', null).orNull().stored(),
    warning_since: fields
      .time('Since when a required record of an active domain is missing; after 24 hours the domain fails', null)
      .orNull()
      .stored(),
    last_checked_at: fields.time('When DNS was last queried').orNull().storedAs('checked_at'),
    dkim: fields.object(dkim, 'DKIM signing of the domain'),
    records: fields.objects(domainRecord, 'The DNS records to publish, required ones first'),
  },
  internal: {
    account_id: fields.column<string>(),
    /** The operator vouches for this domain: it is active without DNS checks. */
    vouched: fields.column<boolean>('boolean'),
    /** The service added the entry for its own mail; lists do not show it. */
    is_of_service: fields.column<boolean>('boolean'),
    /** The base of the DKIM selectors of this entry. */
    selector: fields.column<string>(),
    /** The results of the last checks, one for each record. */
    findings: fields.column<Finding[]>('jsonb'),
  },
});

/** A domain as the API returns it. */
export interface DomainView extends ViewOf<typeof domain> {}
export type DomainStatus = DomainView['status'];
export type TlsPolicy = DomainView['tls'];
export type EnvelopePolicy = DomainView['envelope'];
/** Settings of the owner of a domain. Undefined members are not changed. */
export interface DomainSettings extends ChangesOf<typeof domain> {}
/** A row of `domains`, without its keys. */
export interface StoredDomain extends RowOf<typeof domain> {}
