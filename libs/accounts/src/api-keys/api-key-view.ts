import type { Mode, Permission, Scope } from '#libs/contracts';
import type { ApiKeyEntity } from './api-key.entity.js';
import { scopesOf } from './principal.js';

/** The API representation of an API key; timestamps are ISO 8601 UTC. */
export interface ApiKeyView {
  id: string;
  object: 'api_key';
  name: string;
  mode: Mode;
  /** Null for a key with individual scopes. */
  permission: Permission | null;
  /** The scopes, also those of a permission. */
  scopes: Scope[];
  /** Null for all domains of the account. */
  domain_ids: string[] | null;
  /** Null for all networks. */
  allowed_ips: string[] | null;
  expires_at: string | null;
  enabled: boolean;
  /** Updated at most once a minute. */
  last_used_at: string | null;
  created_at: string;
}

export function toApiKeyView(key: ApiKeyEntity): ApiKeyView {
  return {
    id: key.id,
    object: 'api_key',
    name: key.name,
    mode: key.mode,
    permission: key.permission,
    scopes: [...scopesOf(key)],
    domain_ids: key.domainIds,
    allowed_ips: key.allowedIps,
    expires_at: key.expiresAt?.toISOString() ?? null,
    enabled: key.enabled,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
  };
}
