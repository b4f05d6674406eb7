/**
 * Scopes of an API key; see docs/decisions/024-api-keys.md. `full_access` has all of them but those of the operator,
 * `sending_access` only `emails.send`.
 */
export const SCOPES = [
  'emails.send',
  'emails.read',
  'domains.read',
  'domains.write',
  'webhooks.read',
  'webhooks.write',
  'suppressions.read',
  'suppressions.write',
  'api_keys.read',
  'api_keys.write',
  'stats.read',
  'account.read',
  'account.write',
  'operator.accounts',
] as const;
export type Scope = (typeof SCOPES)[number];
/** Scopes that concern other accounts: only for the first account, which belongs to the operator, and never part of a permission. */
export const OPERATOR_SCOPES: ReadonlySet<Scope> = new Set<Scope>(['operator.accounts']);
export const PERMISSIONS = ['full_access', 'sending_access'] as const;
export type Permission = (typeof PERMISSIONS)[number];
