import { OPERATOR_SCOPES, SCOPES, type Scope } from './scopes.js';

/**
 * Roles of the members of an account, from the one that may do everything down. An `analyst` sees statistics, and the states of
 * emails without their content: no subject, body, attachment, link or captured message.
 */
export const ROLES = ['owner', 'admin', 'developer', 'viewer', 'analyst'] as const;
export type Role = (typeof ROLES)[number];

/**
 * What only a person who is logged in can do, never an API key. `operator`: see and change the whole service; only in the
 * first account, which belongs to the operator. `states.read`: operations that show states without content, in place of the scope that
 * they require.
 */
export const ABILITIES = ['states.read', 'members.read', 'members.write', 'owners.write', 'operator'] as const;
export type Ability = (typeof ABILITIES)[number];

/** The least role for each permission. Every role has the permissions of those below it. */
const LEAST_ROLE: Readonly<Record<Scope | Ability, Role>> = {
  'emails.read': 'viewer',
  'domains.read': 'analyst',
  'webhooks.read': 'viewer',
  'suppressions.read': 'viewer',
  'api_keys.read': 'viewer',
  'stats.read': 'analyst',
  'account.read': 'analyst',
  'states.read': 'analyst',
  'members.read': 'analyst',
  'emails.send': 'developer',
  'domains.write': 'developer',
  'webhooks.write': 'developer',
  'suppressions.write': 'developer',
  'api_keys.write': 'developer',
  'account.write': 'admin',
  'members.write': 'admin',
  'operator.accounts': 'admin',
  operator: 'admin',
  'owners.write': 'owner',
};

const rank = (role: Role): number => ROLES.indexOf(role);
const has = (role: Role, permission: Scope | Ability): boolean => rank(role) <= rank(LEAST_ROLE[permission]);
const byRole = <T>(of: (role: Role) => ReadonlySet<T>): Readonly<Record<Role, ReadonlySet<T>>> => ({
  owner: of('owner'),
  admin: of('admin'),
  developer: of('developer'),
  viewer: of('viewer'),
  analyst: of('analyst'),
});

/** Without those of the operator, which also depend on the account. */
const ROLE_SCOPES = byRole(
  (role) => new Set(SCOPES.filter((scope) => has(role, scope) && !OPERATOR_SCOPES.has(scope))),
);

/** Without `operator`, which also depends on the account. */
const ROLE_ABILITIES = byRole(
  (role) => new Set(ABILITIES.filter((ability) => ability !== 'operator' && has(role, ability))),
);

/** Whether members with this role in the first account operate the service. */
const operates = (role: Role): boolean => has(role, 'operator');

/** The permissions of members of an account. */
export const roleRights = { all: ROLES, abilities: ROLE_ABILITIES, scopes: ROLE_SCOPES, least: LEAST_ROLE, operates };
