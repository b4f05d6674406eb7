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
import { ByRule } from './by-rule.js';
import { listOf, PageQuery } from './list.dto.js';

const ID = 'key_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const DOMAIN_ID = 'dom_01978c0e5f7b7c3a9d21f0b64c1e88aa';

const name = {
  type: String,
  description: 'By which people know the key',
  example: 'web shop',
} satisfies ApiPropertyOptions;
const permission = {
  type: String,
  enum: PERMISSIONS,
  nullable: true,
  description: '`full_access` has every scope, `sending_access` only `emails.send`. Not together with `scopes`',
} satisfies ApiPropertyOptions;
const scopes = {
  type: [String],
  enum: SCOPES,
  isArray: true,
  nullable: true,
  minItems: 1,
  maxItems: SCOPES.length,
  description: 'What the key may do, one by one. Not together with `permission`',
  example: ['emails.send', 'emails.read'],
} satisfies ApiPropertyOptions;
const domainIds = {
  type: [String],
  nullable: true,
  minItems: 1,
  maxItems: LIMITS.apiKeyDomains,
  description:
    'The only domains that the key, and keys that it makes, may send from. Null: every domain of the account',
  example: [DOMAIN_ID],
} satisfies ApiPropertyOptions;
const allowedIps = {
  type: [String],
  nullable: true,
  minItems: 1,
  maxItems: LIMITS.allowedIps,
  description:
    'Networks in CIDR form, IPv4 and IPv6, and single addresses, from which the key may be used, over HTTP and SMTP. ' +
    'Null: from anywhere',
  example: ['192.0.2.0/24', '2001:db8::/32'],
} satisfies ApiPropertyOptions;
const expiresAt = {
  type: String,
  format: 'date-time',
  nullable: true,
  description: 'From then on the key is refused; with an offset, in the future. Null: never',
  example: '2030-01-31T09:30:00Z',
} satisfies ApiPropertyOptions;

/** Body of `POST /api-keys`. */
export class CreateApiKeyDto {
  @ByRule(apiKeyNameRule, { required: true, doc: { ...name, minLength: 1, maxLength: LIMITS.apiKeyNameLength } })
  name: string;

  @ByRule(apiKeyModeRule, {
    doc: {
      type: String,
      enum: ['live', 'test'],
      default: 'live',
      description: 'Mail of a test key is checked and recorded like any other, and never leaves',
    },
  })
  mode?: Mode;

  @ByRule(apiKeyPermissionRule, { doc: { ...permission, default: 'full_access' } })
  permission?: Permission | null;

  @ByRule(apiKeyScopesRule, { doc: scopes })
  scopes?: Scope[] | null;

  @ByRule(apiKeyDomainsRule, { doc: domainIds })
  domain_ids?: string[] | null;

  @ByRule(apiKeyAddressesRule, { doc: allowedIps })
  allowed_ips?: string[] | null;

  @ByRule(apiKeyExpiryRule, { doc: expiresAt })
  expires_at?: string | null;
}

/** Body of `PATCH /api-keys/:id`; what is not given stays. */
export class ChangeApiKeyDto {
  @ByRule(apiKeyNameRule, { doc: { ...name, minLength: 1, maxLength: LIMITS.apiKeyNameLength } })
  name?: string;

  @ByRule(apiKeyEnabledRule, {
    doc: { type: Boolean, description: 'A disabled key is refused like a revoked one until it is enabled again' },
  })
  enabled?: boolean;

  @ByRule(apiKeyPermissionRule, { doc: permission })
  permission?: Permission | null;

  @ByRule(apiKeyScopesRule, { doc: scopes })
  scopes?: Scope[] | null;

  @ByRule(apiKeyDomainsRule, { doc: domainIds })
  domain_ids?: string[] | null;

  @ByRule(apiKeyAddressesRule, { doc: allowedIps })
  allowed_ips?: string[] | null;

  @ByRule(apiKeyExpiryRule, { doc: expiresAt })
  expires_at?: string | null;
}

export class ApiKeyDto implements ApiKeyView {
  @ApiProperty({ example: ID })
  id: string;

  @ApiProperty({ enum: ['api_key'] })
  object: 'api_key';

  @ApiProperty(name)
  name: string;

  @ApiProperty({ enum: ['live', 'test'], description: 'Whether mail of this key is delivered or only recorded' })
  mode: Mode;

  @ApiProperty({ ...permission, description: 'Null for a key with scopes of its own choice' })
  permission: Permission | null;

  @ApiProperty({
    enum: SCOPES,
    isArray: true,
    description: 'Everything that the key may do, also where a permission says so',
  })
  scopes: Scope[];

  @ApiProperty({
    type: [String],
    nullable: true,
    description:
      'The only domains that the key may send from; null: every domain of the account. Deleted domains leave the list, ' +
      'and a key that has none left is disabled',
    example: [DOMAIN_ID],
  })
  domain_ids: string[] | null;

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'Networks from which the key may be used; null: from anywhere',
    example: ['192.0.2.0/24'],
  })
  allowed_ips: string[] | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null: never' })
  expires_at: string | null;

  @ApiProperty({ description: 'A disabled key is refused like a revoked one' })
  enabled: boolean;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'To the minute; null: never yet' })
  last_used_at: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

export class CreatedApiKeyDto extends ApiKeyDto {
  @ApiProperty({
    description: 'The key itself, shown in this answer and never again',
    example: 'pl_live_4fGh0sT2kLmN8pQrStUvWxYz01234567aBcDeF',
  })
  token: string;
}

export class ApiKeyQuery extends PageQuery {}
export class ApiKeyList extends listOf(ApiKeyDto) {}

export class ApiKeyDeletedDto {
  @ApiProperty({ enum: ['api_key'] })
  object: 'api_key';

  @ApiProperty({ example: ID })
  id: string;

  @ApiProperty({ enum: [true] })
  deleted: true;
}
