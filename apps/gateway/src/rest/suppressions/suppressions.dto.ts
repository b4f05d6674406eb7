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
import {
  ADDRESS_FORMAT,
  DeletedProperty,
  EnumProperty,
  exampleId,
  IdProperty,
  IntegerProperty,
  KindProperty,
  LINE_PATTERN,
  NullableTextProperty,
  NullableTimeProperty,
  TextProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { listOf, pageQueryOf } from '../list.dto.js';
import { FieldRule } from '../validation/field-rule.decorator.js';
import { QueryEnum, QueryId, QueryText } from '../validation/query-fields.js';

export const SUPPRESSED_ADDRESS = 'user@example.net';
const SERVER_REPLY = '5.1.1 No such user';

const origin = {
  enum: [...SUPPRESSION_ORIGINS],
  description: 'Why the address is suppressed. `manual`: added by request',
  example: 'bounce',
} satisfies ApiPropertyOptions;

/** Body of `POST /suppressions`, and one entry of a batch. */
export class SuppressDto {
  @FieldRule(suppressionAddressRule, {
    required: true,
    type: String,
    format: ADDRESS_FORMAT,
    description:
      'One address, without a display name. Compared without surrounding spaces, in lower case, internationalised domain ' +
      'names as A-labels (`xn--…`); `user+label@…` and `user@…` are different addresses',
    example: SUPPRESSED_ADDRESS,
  })
  email: string;

  @FieldRule(suppressionReasonRule, {
    type: String,
    nullable: true,
    maxLength: LIMITS.suppressionReasonLength,
    pattern: LINE_PATTERN,
    description: `A note in one line, up to ${LIMITS.suppressionReasonLength} characters`,
    example: 'Asked us on the telephone',
  })
  reason?: string | null;

  @FieldRule(suppressionExpiryRule, {
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the entry expires: ISO 8601 with an offset, in the future. Null: never',
    example: '2030-01-31T09:30:00Z',
  })
  expires_at?: string | null;

  @FieldRule(suppressionDomainRule, {
    type: String,
    nullable: true,
    description:
      'A domain of this account: only e-mails from this domain are affected. Null: all e-mails of the account',
    example: exampleId('dom'),
  })
  domain_id?: string | null;
}

export class SuppressionsQuery extends pageQueryOf('sup') {
  @QueryEnum(SUPPRESSION_ORIGINS, { ...origin, description: 'Only entries of this origin' })
  origin?: SuppressionOrigin;

  @QueryText(
    'The beginning of the address, or `@` and a domain for all addresses of exactly this domain',
    '@example.net',
  )
  q?: string;

  @QueryId('dom', 'Only entries of this sending domain, without those of the whole account')
  domain_id?: string;

  @QueryEnum(['true', 'false'], { default: 'false', description: 'Whether to include expired entries' })
  expired?: string;
}

/** The list that an address is looked up on. */
export class SuppressionQuery {
  @QueryId('dom', 'The entry of this sending domain; if absent, that of the whole account. Not needed with an id')
  domain_id?: string;
}

export class RemoveSuppressionQuery extends SuppressionQuery {
  @QueryEnum(['true', 'false'], { default: 'false', description: 'Must be true to remove a complaint' })
  force?: string;
}

export class SuppressionEvidenceDto implements SuppressionEvidence {
  @NullableTextProperty('The e-mail concerned', exampleId('em'))
  email_id: string | null;

  @TextProperty('The recipient address, as given in that e-mail', 'User@example.net')
  recipient: string;

  @IntegerProperty('The reply code of the server', 550, { nullable: true })
  smtp_code: number | null;

  @NullableTextProperty('The enhanced status code of the reply (RFC 3463)', '5.1.1')
  enhanced_code: string | null;

  @NullableTextProperty('The text of the reply', SERVER_REPLY)
  text: string | null;

  @NullableTextProperty('The name of the server', 'mx1.example.net')
  mx: string | null;

  @NullableTextProperty('The type of a complaint, RFC 5965 section 7.3 (`abuse`, `fraud`, …)', null)
  feedback_type: string | null;

  @TimeProperty('When it was recorded')
  at: string;
}

export class SuppressionDto implements SuppressionView {
  @IdProperty('sup')
  id: string;

  @KindProperty('suppression')
  object: 'suppression';

  @TextProperty('The normalised address', SUPPRESSED_ADDRESS)
  email: string;

  @ApiProperty(origin)
  origin: SuppressionOrigin;

  @NullableTextProperty('A human-readable note', SERVER_REPLY)
  reason: string | null;

  @NullableTextProperty('The e-mail that caused the entry', exampleId('em'))
  source_id: string | null;

  @EnumProperty(['account', 'domain'], 'Affects all e-mails of the account, or only those from the domain `domain_id`')
  scope: 'account' | 'domain';

  @NullableTextProperty('The domain, if `scope` is `domain`', null)
  domain_id: string | null;

  @TimeProperty()
  created_at: string;

  @NullableTimeProperty('When the entry expires; null: never')
  expires_at: string | null;

  @ApiProperty({
    type: SuppressionEvidenceDto,
    nullable: true,
    description: 'The bounce or complaint that caused the entry; null for entries added by request',
  })
  evidence: SuppressionEvidenceDto | null;
}

export class SuppressionPage extends listOf(SuppressionDto, 'sup') {}

export class SuppressionDeletedDto {
  @KindProperty('suppression')
  object: 'suppression';

  @IdProperty('sup')
  id: string;

  @TextProperty('The address that is no longer suppressed', SUPPRESSED_ADDRESS)
  email: string;

  @DeletedProperty()
  deleted: true;
}
