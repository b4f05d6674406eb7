import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  domainNameRule,
  TLS_POLICIES,
  tlsPolicyRule,
  trackingRule,
  type DkimView,
  type DomainRecord,
  type DomainStatus,
  type DomainView,
  type RecordKind,
  type RotationView,
  type TlsPolicy,
} from '#libs/domains';
import { ByRule } from './by-rule.js';
import { idRule } from './query-rules.js';

const ID = 'dom_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const NAME = 'mail.example.com';

const openTracking = {
  type: Boolean,
  description: 'The wish to have opens of this domain’s mail counted. Kept, but this version does not track opens yet',
  example: false,
} satisfies ApiPropertyOptions;
const clickTracking = {
  type: Boolean,
  description:
    'The wish to have clicks in this domain’s mail counted. Kept, but this version does not track clicks yet',
  example: false,
} satisfies ApiPropertyOptions;
const tls = {
  type: String,
  enum: [...TLS_POLICIES],
  description:
    '`opportunistic`: encrypted where the receiving server offers it. `enforced`: only over TLS to a server that proves its name by certificate (or by DANE), else the mail waits and is tried again',
  example: 'opportunistic',
} satisfies ApiPropertyOptions;

/** Body of `POST /domains`. */
export class CreateDomainDto {
  @ByRule(domainNameRule, {
    required: true,
    doc: {
      type: String,
      minLength: 3,
      maxLength: 253,
      description:
        'The domain that addresses of senders have behind the @; subdomains need entries of their own. Stored in lower case, other scripts as A-labels (`xn--…`). No public suffix (`co.uk`, `github.io`), no IP address, no single label, and none of the service’s own names',
      example: NAME,
    },
  })
  name: string;
}

/** Body of `PATCH /domains/:id`: what is not given stays as it is. */
export class ChangeDomainDto {
  @ByRule(trackingRule, { doc: openTracking })
  open_tracking?: boolean;

  @ByRule(trackingRule, { doc: clickTracking })
  click_tracking?: boolean;

  @ByRule(tlsPolicyRule, { doc: tls })
  tls?: TlsPolicy;
}

export class DomainsQuery {
  @ByRule(idRule('dom'), {
    doc: {
      type: String,
      description: 'The id of the last domain seen: the list begins right after it. The header `link` has it ready',
      example: ID,
    },
  })
  after?: string;
}

export class DomainRecordDto implements DomainRecord {
  @ApiProperty({
    enum: ['SPF', 'DKIM', 'DMARC', 'Return-Path', 'Tracking', 'TLS-RPT'] satisfies RecordKind[],
    description:
      'What it is for. A second DKIM key (Ed25519), an alias for bounces (aligns SPF), an alias for opens and clicks, and reports about encryption are optional',
    example: 'DKIM',
  })
  record: RecordKind;

  @ApiProperty({ enum: ['TXT', 'CNAME'], description: 'Type of the DNS record', example: 'TXT' })
  type: 'TXT' | 'CNAME';

  @ApiProperty({
    description: 'Full name of the DNS record. Many panels append the zone by themselves',
    example: `plabcdefgh._domainkey.${NAME}`,
  })
  name: string;

  @ApiProperty({
    description:
      'What should stand there. Where the domain has an SPF record already, it is that one with ours included. Text over 255 characters may have to be split into several strings',
    example: 'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA…',
  })
  value: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Of a DKIM record: where a CNAME with this name may lead instead of the TXT record. Keys can then be rotated without your help, see `dkim.cnames`',
    example: 'plabcdefgh.01978c0e5f7b7c3a9d21f0b64c1e88aa.dkim.postloft.test',
  })
  cname: string | null;

  @ApiProperty({ enum: ['Auto'], description: 'Any time to live will do', example: 'Auto' })
  ttl: 'Auto';

  @ApiProperty({
    enum: ['pending', 'verified', 'failed'],
    description:
      '`pending`: not there yet. `failed`: something else stands there, or it is needed and missing; `error` says more',
    example: 'verified',
  })
  status: 'pending' | 'verified' | 'failed';

  @ApiProperty({ description: 'A domain is active when all required records are verified', example: true })
  required: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When DNS last answered; null: never so far',
    example: '2026-01-31T09:30:00.000Z',
  })
  last_checked_at: string | null;

  @ApiProperty({
    type: [String],
    maxItems: 10,
    description: 'What DNS said at the last check',
    example: ['v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA…'],
  })
  observed: string[];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What is wrong and what to do about it, in a sentence; beside `verified`, a warning',
    example: null,
  })
  error: string | null;
}

export class DkimCnameDto {
  @ApiProperty({ description: 'Name of the alias to publish', example: `plabcdefgh._domainkey.${NAME}` })
  name: string;

  @ApiProperty({
    description: 'Where it leads: a name at which the operator publishes the key',
    example: 'plabcdefgh.01978c0e5f7b7c3a9d21f0b64c1e88aa.dkim.postloft.test',
  })
  value: string;
}

const time = (description: string) =>
  ({ type: String, format: 'date-time', nullable: true, description, example: null }) satisfies ApiPropertyOptions;

export class DkimRotationDto implements RotationView {
  @ApiProperty({
    enum: ['pending', 'verified', 'switched'] satisfies RotationView['status'][],
    description:
      '`pending`: the next records are awaited in DNS. `verified`: they were seen, and are looked at once more. `switched`: the new keys sign, the records of the old ones must stay for a while',
    example: 'pending',
  })
  status: RotationView['status'];

  @ApiProperty({ format: 'date-time', description: 'When it was asked for', example: '2026-01-31T09:30:00.000Z' })
  started_at: string;

  @ApiProperty(time('When the next records were first seen'))
  verified_at: string | null;

  @ApiProperty(time('When the new keys began to sign'))
  switched_at: string | null;

  @ApiProperty(time('Until when the records of the replaced keys must stay; seven days after the switch'))
  keep_old_until: string | null;
}

export class DkimDto implements DkimView {
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since when mail is signed by the present keys',
    example: '2026-01-31T09:30:00.000Z',
  })
  signing_since: string | null;

  @ApiProperty({
    type: DkimRotationDto,
    nullable: true,
    description: 'The change of keys that is under way, if one is',
  })
  rotation: DkimRotationDto | null;

  @ApiProperty({
    type: [DkimCnameDto],
    description:
      'CNAME records to set once instead of the DKIM records of type TXT: keys take turns between their names, and nothing has to be done at a rotation. The first two are of the RSA keys, the others of the optional Ed25519 keys',
  })
  cnames: DkimCnameDto[];
}

export class DomainDto implements DomainView {
  @ApiProperty({ example: ID })
  id: string;

  @ApiProperty({ enum: ['domain'] })
  object: 'domain';

  @ApiProperty({ description: 'In lower case, other scripts as A-labels', example: NAME })
  name: string;

  @ApiProperty({
    enum: ['pending', 'active', 'failed'] satisfies DomainStatus[],
    description:
      '`pending`: DNS records not yet verified. `active`: may send. `failed`: not verified within 72 hours, or a required record was lost for 24 hours; it becomes active again when the records are there',
    example: 'pending',
  })
  status: DomainStatus;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T09:30:00.000Z' })
  created_at: string;

  @ApiProperty({ enum: ['eu'], description: 'Where the mail is processed', example: 'eu' })
  region: 'eu';

  @ApiProperty(openTracking)
  open_tracking: boolean;

  @ApiProperty(clickTracking)
  click_tracking: boolean;

  @ApiProperty(tls)
  tls: TlsPolicy;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the domain last became active by its records',
    example: null,
  })
  verified_at: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since when a required record of an active domain is lost; after 24 hours of it the domain fails',
    example: null,
  })
  warning_since: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When DNS was last asked',
    example: '2026-01-31T09:30:00.000Z',
  })
  last_checked_at: string | null;

  @ApiProperty({ type: DkimDto, description: 'How mail of the domain is signed' })
  dkim: DkimDto;

  @ApiProperty({ type: [DomainRecordDto], description: 'The DNS records to publish, the required ones first' })
  records: DomainRecordDto[];
}

export class DomainDeletedDto {
  @ApiProperty({ enum: ['domain'] })
  object: 'domain';

  @ApiProperty({ example: ID })
  id: string;

  @ApiProperty({ enum: [true] })
  deleted: true;
}
