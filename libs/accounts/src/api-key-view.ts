import type { Mode, Permission, Scope } from '#libs/contracts';
import type { ApiKeyEntity } from './api-key.entity.js';
import { scopesOf } from './principal.js';

/** An API key as the API shows it; timestamps are ISO 8601 UTC. */
export interface ApiKeyView {
  id: string;
  object: 'api_key';
  name: string;
  mode: Mode;
  /** Null for a key with scopes of its own choice. */
  permission: Permission | null;
  /** What it may do, also where a permission says so. */
  scopes: Scope[];
  /** Null: every domain of the account. */
  domain_ids: string[] | null;
  /** Null: from anywhere. */
  allowed_ips: string[] | null;
  expires_at: string | null;
  enabled: boolean;
  /** Noted at most once a minute. */
  last_used_at: string | null;
  created_at: string;
}

export function presentApiKey(key: ApiKeyEntity): ApiKeyView {
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
