import {
  OPERATOR_SCOPES,
  Refusal,
  SCOPES,
  type Ability,
  type Permission,
  type Role,
  type Scope,
  type Visibility,
  roleRights,
} from '#libs/contracts';
import type { AddressRanges } from '#libs/kernel';
import type { Standing } from '../account.resource.js';

/** The session of a person in the dashboard. */
export interface PrincipalSession {
  id: string;
  userId: string;
  /** In the account of the principal. */
  role: Role;
  abilities: ReadonlySet<Ability>;
}

/**
 * The holder of an API key, or a person in the dashboard: the visible part of the account, the permissions, and the standing
 * of the account.
 */
export interface Principal extends Visibility {
  /** For a session, the id of the user. */
  keyId: string;
  /** Absent for an API key. */
  session?: PrincipalSession;
  /** The address of the client, for the audit log. */
  ip?: string;
  /** Null for a key with individual scopes. */
  permission: Permission | null;
  scopes: ReadonlySet<Scope>;
  /** Networks that the key may be used from; null for all. */
  allowedIps: AddressRanges | null;
  expiresAt: Date | null;
  standing: Standing;
}

export const PERMISSION_SCOPES: Readonly<Record<Permission, ReadonlySet<Scope>>> = {
  full_access: new Set(SCOPES.filter((scope) => !OPERATOR_SCOPES.has(scope))),
  sending_access: new Set<Scope>(['emails.send']),
};

/** The scopes of a key with a permission or with individual scopes. */
export function scopesOf(key: { permission: Permission | null; scopes: readonly Scope[] | null }): ReadonlySet<Scope> {
  if (key.scopes !== null) return new Set(key.scopes);
  return key.permission === null ? new Set() : PERMISSION_SCOPES[key.permission];
}

/** @throws Refusal restricted_api_key (403) if the key must not be used from the client's `address` */
function assertAddress(principal: Pick<Principal, 'allowedIps'>, address: string): void {
  if (principal.allowedIps === null || principal.allowedIps.includes(address)) return;
  throw new Refusal('restricted_api_key', [], 'This API key may not be used from your address.');
}

/** Scopes for changes of data that test and live mail share. */
const LIVE_SCOPES: ReadonlySet<Scope> = new Set<Scope>([
  'domains.write',
  'webhooks.write',
  'suppressions.write',
  'api_keys.write',
  'account.write',
  'operator.accounts',
]);

/**
 * @throws Refusal restricted_api_key (403) if the key lacks `scope`, or is a test key and `scope` changes live data;
 * session_refused (403) if the role of the person is too low
 */
export function assertScope(principal: Pick<Principal, 'scopes' | 'mode' | 'session'>, scope: Scope): void {
  if (!principal.scopes.has(scope) && principal.session) throw roleTooLow(principal.session, scope);
  if (!principal.scopes.has(scope))
    throw new Refusal('restricted_api_key', [], `This API key lacks the scope ${scope}.`);
  if (principal.mode === 'test' && LIVE_SCOPES.has(scope))
    throw new Refusal('restricted_api_key', [], `A test key cannot use the scope ${scope}.`);
}

/** For operations that show states without content: roles without `scope` may have the ability. @throws Refusal as `assertScope` */
function assertStates(principal: Principal, scope: Scope): void {
  if (!principal.session?.abilities.has('states.read')) assertScope(principal, scope);
}

/** @throws Refusal restricted_api_key (403) for an API key; session_refused (403) if the person may not do that in this account */
function assertAbility({ session }: Pick<Principal, 'session'>, ability: Ability): PrincipalSession {
  if (!session) throw new Refusal('restricted_api_key', [], 'An API key may not do that: sign in to the dashboard.');
  if (!session.abilities.has(ability)) throw roleTooLow(session, ability);
  return session;
}

function roleTooLow({ role }: PrincipalSession, needed: Scope | Ability): Refusal {
  const details = [{ field: '', code: 'role', message: `must be of the role ${roleRights.least[needed]} or above` }];
  if (needed === 'operator')
    return new Refusal('session_refused', details, 'Only administrators of the first account operate this service.');
  return new Refusal(
    'session_refused',
    details,
    `This needs the role ${roleRights.least[needed]}; your role is ${role}.`,
  );
}

/** @throws Refusal restricted_api_key (403) if the key is limited to some of the account's domains */
function assertWholeAccount({ domainIds }: Pick<Principal, 'domainIds'>): void {
  if (domainIds === null) return;
  throw new Refusal('restricted_api_key', [], 'An API key that is limited to domains may not do that.');
}

/** @throws Refusal account_blocked or account_overdue (403) */
export function assertStanding(principal: Pick<Principal, 'standing'>): void {
  if (principal.standing === 'blocked') throw new Refusal('account_blocked');
  if (principal.standing === 'overdue') throw new Refusal('account_overdue');
}

/** What a principal must fulfil. Each method throws a refusal. */
export const permissions = {
  requireAbility: assertAbility,
  requireAddress: assertAddress,
  requireScope: assertScope,
  requireStanding: assertStanding,
  requireStates: assertStates,
  requireWholeAccount: assertWholeAccount,
};
