import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  domainNameRule,
  linkPatternsRule,
  retentionDaysRule,
  ENVELOPE_POLICIES,
  envelopePolicyRule,
  TLS_POLICIES,
  tlsPolicyRule,
  trackingRule,
  type DkimView,
  type DomainRecord,
  type DomainStatus,
  type DomainView,
  type EnvelopePolicy,
  type RecordKind,
  type RotationView,
  type TlsPolicy,
} from '#libs/domains';
import {
  DeletedProperty,
  DOMAIN_PATTERN,
  EnumProperty,
  EXAMPLE_TIME,
  FlagProperty,
  IdProperty,
  KindProperty,
  NullableTextProperty,
  NullableTimeProperty,
  TextProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { FieldRule } from '../validation/field-rule.decorator.js';
import { QueryId } from '../validation/query-fields.js';

const NAME = 'mail.example.com';
const KEY_NAME = `plabcdefgh._domainkey.${NAME}`;
const CNAME_TARGET = 'plabcdefgh.01978c0e5f7b7c3a9d21f0b64c1e88aa.dkim.postloft.test';
const KEY_RECORD = 'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA…';

const openTracking = {
  type: Boolean,
  description:
    'Whether to track opens, unless an e-mail says otherwise. Takes effect once the `Tracking` record is verified',
  example: false,
} satisfies ApiPropertyOptions;
const clickTracking = {
  type: Boolean,
  description:
    'Whether to track clicks, unless an e-mail says otherwise. Takes effect once the `Tracking` record is verified',
  example: false,
} satisfies ApiPropertyOptions;
const trackingPrivacy = {
  type: Boolean,
  description: 'Whether opens and clicks are recorded without the address and the user agent of the client',
  example: false,
} satisfies ApiPropertyOptions;
const trackingExclude = {
  type: 'array',
  items: { type: 'string', maxLength: 200, pattern: '^(?![Hh][Tt][Tt][Pp][Ss]?:)[!-~]+$' },
  maxItems: 50,
  description:
    'Links that are not tracked, such as one-time links: a host (`login.example.com`, `*.example.com`), or a host with a ' +
    'path (`example.com/reset/*`), without a scheme; `*` stands for any text',
  example: ['login.example.com', 'example.com/reset/*'],
} satisfies ApiPropertyOptions;
const tls = {
  type: String,
  enum: [...TLS_POLICIES],
  description:
    '`opportunistic`: use TLS if the receiving server offers it. `enforced`: send only over TLS to a server whose ' +
    'certificate matches its name (or its DANE records); otherwise the e-mail is deferred and retried',
  example: 'opportunistic',
} satisfies ApiPropertyOptions;

const envelope = {
  type: String,
  enum: [...ENVELOPE_POLICIES],
  description:
    '`shared`: recipients of one e-mail at the same domain are sent in one SMTP transaction and share a return path. ' +
    '`per_recipient`: each recipient has a transaction and a return path of its own, so that every bounce and complaint ' +
    'can be assigned to one recipient without further proof; sending takes longer',
  example: 'shared',
} satisfies ApiPropertyOptions;

const bodyRetentionDays = {
  type: 'integer',
  nullable: true,
  minimum: 1,
  maximum: 365,
  description:
    'Days after which the text, HTML and attachments of settled e-mails are deleted; null: the period of the service, ' +
    'which is the longest possible',
  example: 7,
} satisfies ApiPropertyOptions;

const capturedRetentionDays = {
  ...bodyRetentionDays,
  description: 'Days after which captured messages are deleted; null: the period of the service, the longest possible',
  example: null,
} satisfies ApiPropertyOptions;

/** Body of `POST /domains`. */
export class CreateDomainDto {
  @FieldRule(domainNameRule, {
    required: true,
    type: String,
    maxLength: 253,
    // Wider than the pattern of responses: names in other scripts are accepted too.
    pattern: '^(?:[^\\u0000-,./:-@\\[-`{-\\u00a0]+\\.)+(?![0-9]+\\.?$)[^\\u0000-,./:-@\\[-`{-\\u00a0]+\\.?$',
    description:
      'The part of sender addresses after the @; each subdomain must be added on its own. Stored in lower case, ' +
      'internationalised names as A-labels (`xn--…`). Public suffixes (`co.uk`, `github.io`), IP addresses, single ' +
      'labels and the names of the service itself are refused',
    example: NAME,
  })
  name: string;
}

/** Body of `PATCH /domains/:id`. Absent fields are not changed. */
export class ChangeDomainDto {
  @FieldRule(trackingRule, openTracking)
  open_tracking?: boolean;

  @FieldRule(trackingRule, clickTracking)
  click_tracking?: boolean;

  @FieldRule(trackingRule, trackingPrivacy)
  tracking_privacy?: boolean;

  @FieldRule(linkPatternsRule, trackingExclude)
  tracking_exclude?: string[];

  @FieldRule(tlsPolicyRule, tls)
  tls?: TlsPolicy;

  @FieldRule(envelopePolicyRule, envelope)
  envelope?: EnvelopePolicy;

  @FieldRule(retentionDaysRule, bodyRetentionDays)
  body_retention_days?: number | null;

  @FieldRule(retentionDaysRule, capturedRetentionDays)
  captured_retention_days?: number | null;
}

export class DomainsQuery {
  @QueryId('dom', 'The id of a domain: the list starts after it. The `link` header contains the complete URL')
  after?: string;
}

export class DomainRecordDto implements DomainRecord {
  @EnumProperty(
    ['SPF', 'DKIM', 'DMARC', 'Return-Path', 'Tracking', 'TLS-RPT'] satisfies RecordKind[],
    'The purpose of the record. Optional are the second DKIM key (Ed25519), the alias for bounces (aligns SPF), the ' +
      'alias for open and click tracking, and TLS reporting',
    'DKIM',
  )
  record: RecordKind;

  @EnumProperty(['TXT', 'CNAME'], 'Type of the DNS record', 'TXT')
  type: 'TXT' | 'CNAME';

  @TextProperty('Full name of the DNS record. Many DNS panels append the zone automatically', KEY_NAME)
  name: string;

  @TextProperty(
    'The required value. If the domain already has an SPF record, this is that record with the include of this service added. A value ' +
      'longer than 255 characters may have to be split into several strings',
    KEY_RECORD,
  )
  value: string;

  @NullableTextProperty(
    'For a DKIM record: the target of a CNAME that can be published instead of the TXT record. Keys can then be rotated ' +
      'without a DNS change, see `dkim.cnames`',
    CNAME_TARGET,
  )
  cname: string | null;

  @EnumProperty(['Auto'], 'Any time to live is accepted', 'Auto')
  ttl: 'Auto';

  @EnumProperty(
    ['pending', 'verified', 'failed'],
    '`pending`: not published yet. `failed`: the value differs, or a required record is missing; see `error`',
    'verified',
  )
  status: 'pending' | 'verified' | 'failed';

  @FlagProperty('A domain becomes active when all required records are verified', true)
  required: boolean;

  @NullableTimeProperty('When DNS last answered; null if it never did', EXAMPLE_TIME)
  last_checked_at: string | null;

  @ApiProperty({
    type: [String],
    maxItems: 10,
    description: 'The values found in DNS by the last check',
    example: [KEY_RECORD],
  })
  observed: string[];

  @NullableTextProperty('The problem and its solution, in one sentence; a warning if the status is `verified`', null)
  error: string | null;
}

export class DkimCnameDto {
  @TextProperty('Name of the CNAME record to publish', KEY_NAME)
  name: string;

  @TextProperty('Target of the CNAME record, where the operator publishes the key', CNAME_TARGET)
  value: string;
}

export class DkimRotationDto implements RotationView {
  @EnumProperty(
    ['pending', 'verified', 'switched'] satisfies RotationView['status'][],
    '`pending`: the new records are not in DNS yet. `verified`: the new records were found and will be checked once ' +
      'more. `switched`: e-mails are signed with the new keys; the old records must stay for a while',
    'pending',
  )
  status: RotationView['status'];

  @TimeProperty('When the rotation was requested', EXAMPLE_TIME)
  started_at: string;

  @NullableTimeProperty('When the new records were first found', null)
  verified_at: string | null;

  @NullableTimeProperty('When signing with the new keys started', null)
  switched_at: string | null;

  @NullableTimeProperty('Until when the old records must stay in DNS: seven days after the switch', null)
  keep_old_until: string | null;
}

export class DkimDto implements DkimView {
  @NullableTimeProperty('Since when e-mails are signed with the current keys', EXAMPLE_TIME)
  signing_since: string | null;

  @ApiProperty({ type: DkimRotationDto, nullable: true, description: 'The key rotation in progress, if any' })
  rotation: DkimRotationDto | null;

  @ApiProperty({
    type: [DkimCnameDto],
    description:
      'CNAME records that can be published once instead of the DKIM TXT records. Keys alternate between these names, so a ' +
      'rotation needs no DNS change. The first two are for the RSA keys, the others for the optional Ed25519 keys',
  })
  cnames: DkimCnameDto[];
}

export class DomainDto implements DomainView {
  @IdProperty('dom')
  id: string;

  @KindProperty('domain')
  object: 'domain';

  @TextProperty('In lower case, internationalised names as A-labels', NAME, { pattern: DOMAIN_PATTERN })
  name: string;

  @EnumProperty(
    ['pending', 'active', 'failed'] satisfies DomainStatus[],
    '`pending`: the DNS records are not verified yet. `active`: may send. `failed`: not verified within 72 hours, or a ' +
      'required record was missing for 24 hours. A failed domain becomes active again when its records are found',
    'pending',
  )
  status: DomainStatus;

  @TimeProperty(undefined, EXAMPLE_TIME)
  created_at: string;

  @TextProperty('The region in which e-mails are processed, as set by the operator', 'eu')
  region: string;

  @ApiProperty(openTracking)
  open_tracking: boolean;

  @ApiProperty(clickTracking)
  click_tracking: boolean;

  @ApiProperty(trackingPrivacy)
  tracking_privacy: boolean;

  @ApiProperty(trackingExclude)
  tracking_exclude: string[];

  @ApiProperty(tls)
  tls: TlsPolicy;

  @ApiProperty(envelope)
  envelope: EnvelopePolicy;

  @ApiProperty(bodyRetentionDays)
  body_retention_days: number | null;

  @ApiProperty(capturedRetentionDays)
  captured_retention_days: number | null;

  @NullableTimeProperty('When the domain last became active after verification', null)
  verified_at: string | null;

  @NullableTimeProperty(
    'Since when a required record of an active domain is missing; after 24 hours the domain fails',
    null,
  )
  warning_since: string | null;

  @NullableTimeProperty('When DNS was last queried', EXAMPLE_TIME)
  last_checked_at: string | null;

  @ApiProperty({ type: DkimDto, description: 'DKIM signing of the domain' })
  dkim: DkimDto;

  @ApiProperty({ type: [DomainRecordDto], description: 'The DNS records to publish, required ones first' })
  records: DomainRecordDto[];
}

export class DomainDeletedDto {
  @KindProperty('domain')
  object: 'domain';

  @IdProperty('dom')
  id: string;

  @DeletedProperty()
  deleted: true;
}
