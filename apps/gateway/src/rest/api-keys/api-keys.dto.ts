import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  apiKeyAddressesRule,
  apiKeyDomainsRule,
  apiKeyEnabledRule,
  apiKeyExpiryRule,
  apiKeyModeRule,
  apiKeyNameRule,
  apiKeyPermissionRule,
  apiKeyScopesRule,
  type ApiKeyView,
} from '#libs/accounts';
import { LIMITS, PERMISSIONS, SCOPES, type Mode, type Permission, type Scope } from '#libs/contracts';
import {
  DeletedProperty,
  EnumProperty,
  exampleId,
  FlagProperty,
  idPattern,
  IdProperty,
  KindProperty,
  NOT_BLANK_PATTERN,
  NullableTimeProperty,
  TextProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { Refuses, togetherUnlessNull } from '../../openapi/refused-combinations.js';
import { listOf, pageQueryOf } from '../list.dto.js';
import { FieldRule } from '../validation/field-rule.decorator.js';

const name = {
  type: String,
  pattern: NOT_BLANK_PATTERN,
  description: 'A name that tells the key from others',
  example: 'web shop',
} satisfies ApiPropertyOptions;
const permission = {
  type: String,
  enum: PERMISSIONS,
  nullable: true,
  description: '`full_access` has every scope, `sending_access` only `emails.send`. Cannot be combined with `scopes`',
} satisfies ApiPropertyOptions;

const scopes = {
  type: [String],
  enum: SCOPES,
  isArray: true,
  nullable: true,
  minItems: 1,
  maxItems: SCOPES.length,
  description: 'The scopes of the key. Cannot be combined with `permission`',
  example: ['emails.send', 'emails.read'],
} satisfies ApiPropertyOptions;
const domainIds = {
  type: 'array',
  items: { type: 'string', pattern: idPattern('dom') },
  nullable: true,
  minItems: 1,
  maxItems: LIMITS.apiKeyDomains,
  description:
    'The only domains that the key, and keys created with it, may send from, and whose data they see. Null: the whole account',
  example: [exampleId('dom')],
} satisfies ApiPropertyOptions;
const allowedIps = {
  type: 'array',
  items: { type: 'string', format: 'ip-network' },
  nullable: true,
  minItems: 1,
  maxItems: LIMITS.allowedIps,
  description:
    'IPv4 and IPv6 addresses, or networks in CIDR notation, from which the key may be used over HTTP and SMTP. Null: ' +
    'from everywhere',
  example: ['192.0.2.0/24', '2001:db8::/32'],
} satisfies ApiPropertyOptions;
const expiresAt = {
  type: String,
  format: 'date-time',
  nullable: true,
  description: 'When the key expires: with an offset, in the future. Null: never',
  example: '2030-01-31T09:30:00Z',
} satisfies ApiPropertyOptions;

/** Body of `POST /api-keys`. */
@Refuses(togetherUnlessNull('permission', 'scopes'))
export class CreateApiKeyDto {
  @FieldRule(apiKeyNameRule, { ...name, required: true, minLength: 1, maxLength: LIMITS.apiKeyNameLength })
  name: string;

  @FieldRule(apiKeyModeRule, {
    type: String,
    enum: ['live', 'test'],
    default: 'live',
    description:
      'E-mails of a test key are checked and recorded like all others but never delivered. It sees and changes test data only',
  })
  mode?: Mode;

  @FieldRule(apiKeyPermissionRule, { ...permission, default: 'full_access' })
  permission?: Permission | null;

  @FieldRule(apiKeyScopesRule, scopes)
  scopes?: Scope[] | null;

  @FieldRule(apiKeyDomainsRule, domainIds)
  domain_ids?: string[] | null;

  @FieldRule(apiKeyAddressesRule, allowedIps)
  allowed_ips?: string[] | null;

  @FieldRule(apiKeyExpiryRule, expiresAt)
  expires_at?: string | null;
}

/** Body of `PATCH /api-keys/:id`. Absent fields are not changed. */
@Refuses(togetherUnlessNull('permission', 'scopes'))
export class ChangeApiKeyDto {
  @FieldRule(apiKeyNameRule, { ...name, minLength: 1, maxLength: LIMITS.apiKeyNameLength })
  name?: string;

  @FieldRule(apiKeyEnabledRule, {
    type: Boolean,
    description: 'A disabled key is refused like a revoked one until it is enabled again',
  })
  enabled?: boolean;

  @FieldRule(apiKeyPermissionRule, permission)
  permission?: Permission | null;

  @FieldRule(apiKeyScopesRule, scopes)
  scopes?: Scope[] | null;

  @FieldRule(apiKeyDomainsRule, domainIds)
  domain_ids?: string[] | null;

  @FieldRule(apiKeyAddressesRule, allowedIps)
  allowed_ips?: string[] | null;

  @FieldRule(apiKeyExpiryRule, expiresAt)
  expires_at?: string | null;
}

export class ApiKeyDto implements ApiKeyView {
  @IdProperty('key')
  id: string;

  @KindProperty('api_key')
  object: 'api_key';

  @ApiProperty(name)
  name: string;

  @EnumProperty(['live', 'test'], 'Whether e-mails of this key are delivered or only recorded')
  mode: Mode;

  @ApiProperty({ ...permission, description: 'Null for a key that was given its own set of scopes' })
  permission: Permission | null;

  @ApiProperty({ enum: SCOPES, isArray: true, description: 'All scopes of the key, including those of its permission' })
  scopes: Scope[];

  @ApiProperty({
    type: [String],
    nullable: true,
    description:
      'The only domains that the key may send from and whose data it sees; null: the whole account. A deleted domain is removed from ' +
      'the list, and a key without any remaining domain is disabled',
    example: [exampleId('dom')],
  })
  domain_ids: string[] | null;

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'Networks from which the key may be used; null: from everywhere',
    example: ['192.0.2.0/24'],
  })
  allowed_ips: string[] | null;

  @NullableTimeProperty('When the key expires; null: never')
  expires_at: string | null;

  @FlagProperty('A disabled key is refused like a revoked one')
  enabled: boolean;

  @NullableTimeProperty('Last use, to the minute; null: never used')
  last_used_at: string | null;

  @TimeProperty()
  created_at: string;
}

export class CreatedApiKeyDto extends ApiKeyDto {
  @TextProperty('The key itself. It is returned only once', 'pl_live_4fGh0sT2kLmN8pQrStUvWxYz01234567aBcDeF')
  token: string;
}

export class ApiKeyQuery extends pageQueryOf('key') {}
export class ApiKeyList extends listOf(ApiKeyDto, 'key') {}

export class ApiKeyDeletedDto {
  @KindProperty('api_key')
  object: 'api_key';

  @IdProperty('key')
  id: string;

  @DeletedProperty()
  deleted: true;
}
