import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { LIMITS } from '#libs/contracts';
import {
  SUPPRESSION_ORIGINS,
  suppressionAddressRule,
  suppressionDomainRule,
  suppressionExpiryRule,
  suppressionReasonRule,
  type SuppressionEvidence,
  type SuppressionOrigin,
  type SuppressionView,
} from '#libs/suppressions';
import { ByRule } from './by-rule.js';
import { listOf, PageQuery } from './list.dto.js';
import { idRule, queryTextRule, wordRule } from './query-rules.js';

export const SUPPRESSION_ID = 'sup_01978c0e5f7b7c3a9d21f0b64c1e88aa';
export const SUPPRESSED_ADDRESS = 'user@example.net';
const DOMAIN_ID = 'dom_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const EMAIL_ID = 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const LATER = '2027-01-31T09:30:00Z';
const REASON = 'Asked us on the telephone';
const SERVER_WORDS = '5.1.1 No such user';
const YES_OR_NO = ['true', 'false'] as const;

const origin = {
  enum: [...SUPPRESSION_ORIGINS],
  description: 'How the address came onto the list. `manual`: somebody put it there',
  example: 'bounce',
} satisfies ApiPropertyOptions;

/** Body of `POST /suppressions`, and one entry of a batch. */
export class SuppressDto {
  @ByRule(suppressionAddressRule, {
    required: true,
    doc: {
      type: String,
      maxLength: 320,
      description:
        'One address, without a display name. Compared without surrounding space, in lower case, other scripts in the domain as A-labels (`xn--…`); `user+label@…` is another address than `user@…`',
      example: SUPPRESSED_ADDRESS,
    },
  })
  email: string;

  @ByRule(suppressionReasonRule, {
    doc: {
      type: String,
      nullable: true,
      maxLength: LIMITS.suppressionReasonLength,
      description: `For people, in one line: up to ${LIMITS.suppressionReasonLength} characters`,
      example: REASON,
    },
  })
  reason?: string | null;

  @ByRule(suppressionExpiryRule, {
    doc: {
      type: String,
      format: 'date-time',
      nullable: true,
      description: 'From then on the entry stops nothing: ISO 8601 with an offset, in the future. Null: it stays',
      example: LATER,
    },
  })
  expires_at?: string | null;

  @ByRule(suppressionDomainRule, {
    doc: {
      type: String,
      nullable: true,
      description: 'A domain of this account: only mail from there is stopped. Null: all mail of the account',
      example: DOMAIN_ID,
    },
  })
  domain_id?: string | null;
}

export class SuppressionsQuery extends PageQuery {
  @ByRule(wordRule(SUPPRESSION_ORIGINS), { doc: { ...origin, description: 'Entries of this origin' } })
  origin?: SuppressionOrigin;

  @ByRule(queryTextRule, {
    doc: {
      type: String,
      description: 'The beginning of the address, or `@` and a domain for all addresses of exactly this domain',
      example: '@example.net',
    },
  })
  q?: string;

  @ByRule(idRule('dom'), {
    doc: {
      type: String,
      description: 'Entries of this sending domain, without those of the whole account',
      example: DOMAIN_ID,
    },
  })
  domain_id?: string;

  @ByRule(wordRule(YES_OR_NO), {
    doc: { enum: [...YES_OR_NO], default: 'false', description: 'Whether expired entries are shown as well' },
  })
  expired?: string;
}

/** Which list an address is meant on. */
export class SuppressionQuery {
  @ByRule(idRule('dom'), {
    doc: {
      type: String,
      description: 'The entry of this sending domain; absent: that of the whole account. An id needs no domain',
      example: DOMAIN_ID,
    },
  })
  domain_id?: string;
}

export class RemoveSuppressionQuery extends SuppressionQuery {
  @ByRule(wordRule(YES_OR_NO), {
    doc: { enum: [...YES_OR_NO], default: 'false', description: 'Has to be true to take away a complaint' },
  })
  force?: string;
}

export class SuppressionEvidenceDto implements SuppressionEvidence {
  @ApiProperty({ type: String, nullable: true, description: 'The e-mail concerned', example: EMAIL_ID })
  email_id: string | null;

  @ApiProperty({ description: 'The address as that e-mail had it', example: 'User@example.net' })
  recipient: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The reply code of the server', example: 550 })
  smtp_code: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'Its enhanced code, RFC 3463', example: '5.1.1' })
  enhanced_code: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Its words', example: SERVER_WORDS })
  text: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Its name', example: 'mx1.example.net' })
  mx: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of a complaint: its kind, RFC 5965 §7.3 (`abuse`, `fraud`, …)',
    example: null,
  })
  feedback_type: string | null;

  @ApiProperty({ format: 'date-time', description: 'When it was seen' })
  at: string;
}

export class SuppressionDto implements SuppressionView {
  @ApiProperty({ example: SUPPRESSION_ID })
  id: string;

  @ApiProperty({ enum: ['suppression'] })
  object: 'suppression';

  @ApiProperty({ description: 'The address in the form in which addresses are compared', example: SUPPRESSED_ADDRESS })
  email: string;

  @ApiProperty(origin)
  origin: SuppressionOrigin;

  @ApiProperty({ type: String, nullable: true, description: 'For people', example: SERVER_WORDS })
  reason: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The e-mail that led here', example: EMAIL_ID })
  source_id: string | null;

  @ApiProperty({
    enum: ['account', 'domain'],
    description: 'Stops all mail of the account, or only that from the domain `domain_id`',
  })
  scope: 'account' | 'domain';

  @ApiProperty({ type: String, nullable: true, description: 'The domain, when `scope` is `domain`', example: null })
  domain_id: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null: it stays' })
  expires_at: string | null;

  @ApiProperty({
    type: SuppressionEvidenceDto,
    nullable: true,
    description: 'What was seen that led here; null for entries that somebody made',
  })
  evidence: SuppressionEvidenceDto | null;
}

export class SuppressionPage extends listOf(SuppressionDto) {}

export class SuppressionDeletedDto {
  @ApiProperty({ enum: ['suppression'] })
  object: 'suppression';

  @ApiProperty({ example: SUPPRESSION_ID })
  id: string;

  @ApiProperty({ description: 'The address that gets mail again', example: SUPPRESSED_ADDRESS })
  email: string;

  @ApiProperty({ enum: [true] })
  deleted: true;
}
