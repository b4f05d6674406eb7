import {
  fields,
  formats,
  LIMITS,
  PERMISSIONS,
  resource,
  SCOPES,
  type ChangesOf,
  type Field,
  type Mode,
  type RowOf,
  type Scope,
  type ViewOf,
} from '#libs/contracts';
import { entityOf } from '#libs/persistence';
import type { EntitySchema } from 'typeorm';
import {
  apiKeyAddressesRule,
  apiKeyDomainsRule,
  apiKeyEnabledRule,
  apiKeyExpiryRule,
  apiKeyModeRule,
  apiKeyNameRule,
  apiKeyPermissionRule,
  apiKeyScopesRule,
} from './api-keys/field-rules.js';
import { scopesOf } from './api-keys/principal.js';

/** The column is null for a key with a permission; responses have the scopes of the permission then. */
const scopes: Field<Scope[], Scope[] | null, true, 'both'> = fields
  .choices(SCOPES, 'All scopes of the key, including those of its permission')
  .stored()
  .editable(apiKeyScopesRule, {
    schema: {
      nullable: true,
      minItems: 1,
      maxItems: SCOPES.length,
      description: 'The scopes of the key. Cannot be combined with `permission`',
      example: ['emails.send', 'emails.read'],
    },
  });

export const apiKey = resource({
  name: 'ApiKey',
  about: 'An API key, without its token.',
  table: 'api_keys',
  fields: {
    id: fields.id('key').stored(),
    object: fields.kind('api_key'),
    name: fields
      .text('A name that tells the key from others', 'web shop', { pattern: formats.NOT_BLANK_PATTERN })
      .stored()
      .editable(apiKeyNameRule, {
        required: true,
        schema: { minLength: 1, maxLength: LIMITS.apiKeyNameLength },
      }),
    mode: fields
      .choice(['live', 'test'], 'Whether emails of this key are delivered or only recorded')
      .stored()
      .given(apiKeyModeRule, {
        schema: {
          default: 'live',
          description:
            'Emails of a test key are checked and recorded like all others but never delivered. It sees and changes test data only',
        },
      }),
    permission: fields
      .choice(PERMISSIONS, 'Null for a key that was given its own set of scopes')
      .orNull()
      .stored()
      .editable(apiKeyPermissionRule, {
        schema: {
          default: 'full_access',
          description:
            '`full_access` has every scope, `sending_access` only `emails.send`. Cannot be combined with `scopes`',
        },
      }),
    scopes,
    domain_ids: fields
      .texts(
        'The only domains that the key may send from and whose data it sees; null: the whole account. A deleted domain is removed from ' +
          'the list, and a key without any remaining domain is disabled',
        [formats.exampleId('dom')],
      )
      .orNull()
      .stored()
      .editable(apiKeyDomainsRule, {
        schema: {
          items: { type: 'string', pattern: formats.idPattern('dom') },
          minItems: 1,
          maxItems: LIMITS.apiKeyDomains,
          description:
            'The only domains that the key, and keys created with it, may send from, and whose data they see. Null: the whole account',
        },
      }),
    /** In the form of `AddressRanges.normalise`. */
    allowed_ips: fields
      .texts('Networks from which the key may be used; null: from everywhere', ['192.0.2.0/24'])
      .orNull()
      .stored()
      .editable(apiKeyAddressesRule, {
        schema: {
          items: { type: 'string', format: 'ip-network' },
          minItems: 1,
          maxItems: LIMITS.allowedIps,
          description:
            'IPv4 and IPv6 addresses, or networks in CIDR notation, from which the key may be used over HTTP and SMTP. Null: ' +
            'from everywhere',
          example: ['192.0.2.0/24', '2001:db8::/32'],
        },
      }),
    expires_at: fields
      .time('When the key expires; null: never')
      .orNull()
      .stored()
      .editable(apiKeyExpiryRule, {
        schema: {
          description: 'When the key expires: with an offset, in the future. Null: never',
          example: '2030-01-31T09:30:00Z',
        },
      }),
    enabled: fields
      .flag('A disabled key is refused like a revoked one')
      .stored()
      .settable(apiKeyEnabledRule, {
        schema: { description: 'A disabled key is refused like a revoked one until it is enabled again' },
      }),
    last_used_at: fields.time('Last use, to the minute; null: never used').orNull().stored(),
    created_at: fields.time().stored(),
  },
  internal: {
    account_id: fields.column<string>(),
    /** HMAC-SHA-256 of the token under the pepper; the token itself is not stored. */
    fingerprint: fields.column<Buffer>('bytea'),
    // The check value of the master key of the fingerprint; NULL: made before this was recorded.
    master_key: fields.column<Buffer | null>('bytea'),
    /** The first characters of the token, for display. */
    hint: fields.column<string>(),
    /** An imported token in our format without a valid checksum, which is accepted nevertheless. */
    checksum_exempt: fields.column<boolean>('boolean'),
    revoked_at: fields.column<Date | null>('timestamptz'),
    /** The API key or user that created it; null for the operator. */
    created_by: fields.column<string | null>(),
  },
  lastInRequests: ['permission', 'scopes', 'domain_ids', 'allowed_ips', 'expires_at'],
});

/** An API key as the API returns it. */
export interface ApiKeyView extends ViewOf<typeof apiKey> {}
/** Changes of a key; null removes a restriction. The values have been checked by the rules of the fields. */
export interface ApiKeyChange extends Omit<ChangesOf<typeof apiKey>, 'scopes'> {
  /** Instead of a permission. */
  scopes?: Scope[] | null | undefined;
}
/** A new key; without `permission` and `scopes` it has full access, without `mode` it is a live key. */
export interface ApiKeyOptions extends Omit<ApiKeyChange, 'enabled'> {
  name: string;
  mode?: Mode | undefined;
}
/** A row of `api_keys`. */
export interface ApiKeyRow extends RowOf<typeof apiKey> {}
export const ApiKeyEntity: EntitySchema<ApiKeyRow> = entityOf(apiKey);

export const toApiKeyView = (row: ApiKeyRow): ApiKeyView =>
  apiKey.toView({ ...row, scopes: [...scopesOf(row)] }, { object: 'api_key' });
