import { createHash } from 'node:crypto';
import { Injectable, Module } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { OPERATOR_SCOPES, Refusal, roleRights, type Scope } from '#libs/contracts';
import { Config, trustedProxies, TtlMap, withTimeout } from '#libs/kernel';
import { Sessions, UsersModule, type LoggedIn, type Membership } from '#libs/users';
import { BrowserRequests, type RawRequest } from './browser-request.js';

/** Chooses the account of a request with a session, as a header and in `connection_init`. */
export const ACCOUNT_HEADER = 'x-account-id';

/** A session may tell the state of the process for this long while the database cannot be asked about it. */
const OPERATOR_MS = 3_600_000;
const MAX_OPERATORS = 1_000;
const LOOKUP_MS = 1_000;

/** Authenticates requests and WebSockets by the session cookie. A key beside a cookie is used instead. */
@Injectable()
export class SessionAccess {
  readonly browser: BrowserRequests;
  /** Sessions of operators, by the hash of their tokens. */
  private readonly operators = new TtlMap<string, true>(MAX_OPERATORS);

  constructor(
    private readonly sessions: Sessions,
    config: Config,
  ) {
    const { PUBLIC_URL, TRUST_PROXY } = config.settings;
    this.browser = new BrowserRequests(PUBLIC_URL, trustedProxies(TRUST_PROXY));
  }

  /**
   * The token of the session of a request; null if it has none, or a key beside it.
   * @throws Refusal session_refused if the page of another site caused the request
   */
  tokenOf(request: RawRequest): string | null {
    if (request.headers.authorization !== undefined) return null;
    const token = this.browser.tokenOf(request);
    if (token !== null) this.browser.assertOwnOrigin(request, { hasCookie: true });
    return token;
  }

  /** The person with this session. @throws Refusal not_logged_in */
  async viewerOf(token: string): Promise<LoggedIn> {
    const viewer = await this.find(token);
    if (viewer !== null) return viewer;
    throw new Refusal(
      'not_logged_in',
      [{ field: '', code: 'not_logged_in', message: 'must be that of a session which has not ended' }],
      'The session has ended. Log in again.',
    );
  }

  /** The person with this session in an account. @throws Refusal not_logged_in, session_refused */
  async principalOf(token: string, accountId: unknown, ip: string): Promise<Principal> {
    const viewer = await this.viewerOf(token);
    return principalOf(viewer, requireMembership(viewer, accountId), ip);
  }

  /**
   * Whether the session of a request is that of an operator. Never waits for a database that does not answer: then a session
   * counts that was an operator's within the last hour.
   */
  async isOperators(request: RawRequest): Promise<boolean> {
    let token: string | null;
    try {
      token = this.tokenOf(request);
    } catch {
      return false;
    }
    if (token === null) return false;
    const viewer = await withTimeout(this.find(token), LOOKUP_MS, () => undefined).catch(() => undefined);
    return viewer === undefined ? this.operators.has(keyOf(token)) : isOperators(viewer);
  }

  /** The person with this session; null without one. */
  async find(token: string): Promise<LoggedIn | null> {
    const viewer = await this.sessions.find(token);
    if (isOperators(viewer)) this.operators.set(keyOf(token), true, OPERATOR_MS);
    else this.operators.delete(keyOf(token));
    return viewer;
  }

  /** Refuses requests to public routes of the dashboard that the page of another site caused. @throws Refusal session_refused */
  assertOwnPage(request: RawRequest): void {
    this.browser.assertOwnOrigin(request, { hasCookie: this.browser.tokenOf(request) !== null });
  }
}

/**
 * The account of a request: the named one. Only the user of a single account need not name it: with several, a default would
 * change with the memberships, and the request would reach another account than the page shows.
 * @throws Refusal session_refused with the code account_not_named; not_a_member, whether or not the account exists
 */
export function requireMembership({ memberships }: LoggedIn, accountId: unknown): Membership {
  const isNamed = accountId !== undefined && accountId !== null;
  const found = isNamed ? memberships.find((one) => one.accountId === accountId) : memberships[0];
  if (found && (isNamed || memberships.length === 1)) return found;
  if (memberships.length === 0) {
    const detail = { field: '', code: 'not_a_member', message: 'must be a member of an account' };
    throw new Refusal('session_refused', [detail], 'You are not a member of any account.');
  }
  const detail = {
    field: ACCOUNT_HEADER,
    code: isNamed ? 'not_a_member' : 'account_not_named',
    message: 'must be one of your accounts',
  };
  const several = `You are a member of several accounts: name one as ${ACCOUNT_HEADER}.`;
  throw new Refusal('session_refused', [detail], isNamed ? 'You are not a member of this account.' : several);
}

/** A member of an account as a principal, with the permissions of the role. */
export function principalOf(viewer: LoggedIn, membership: Membership, ip: string): Principal {
  const { accountId, role, standing } = membership;
  const abilities = new Set(roleRights.abilities[role]);
  if (isOperator(membership)) abilities.add('operator');
  return {
    accountId,
    keyId: viewer.userId,
    ip,
    session: { id: viewer.sessionId, userId: viewer.userId, role, abilities },
    mode: 'live',
    domainIds: null,
    seesLoginMail: true,
    permission: null,
    scopes: scopesOf(membership),
    allowedIps: null,
    expiresAt: null,
    standing,
  };
}

const isOperators = (viewer: LoggedIn | null): boolean => viewer?.memberships.some(isOperator) ?? false;

const keyOf = (token: string): string => createHash('sha256').update(token).digest('base64');

/** The scopes of a member, with those of the operator in the first account. */
export const scopesOf = (membership: Membership): ReadonlySet<Scope> =>
  isOperator(membership)
    ? new Set([...roleRights.scopes[membership.role], ...OPERATOR_SCOPES])
    : roleRights.scopes[membership.role];

export const isOperator = ({ isFirst, role }: Membership): boolean => isFirst && roleRights.operates(role);

@Module({ imports: [UsersModule], providers: [SessionAccess], exports: [SessionAccess, UsersModule] })
export class SessionAccessModule {}
