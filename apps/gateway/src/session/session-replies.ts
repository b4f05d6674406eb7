import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ABILITIES, type Ability, type Role, type Scope, roleRights } from '#libs/contracts';
import type { Standing } from '#libs/accounts';
import { Config } from '#libs/kernel';
import { Logins, Sessions, type Client, type LoggedIn, type Membership } from '#libs/users';
import { KnownBrowsers } from './known-browsers.js';
import { ACCOUNT_HEADER, isOperator, scopesOf, SessionAccess } from './session-access.js';
import type { SessionDto, UserDto } from './session.dto.js';

export interface MembershipView {
  id: string;
  name: string;
  standing: Standing;
  plan: string;
  role: Role;
  operator: boolean;
  scopes: Scope[];
  abilities: Ability[];
}

export interface ViewerView {
  object: 'viewer';
  user: UserDto;
  session: Pick<SessionDto, 'id' | 'created_at' | 'expires_at'>;
  account: MembershipView | null;
  accounts: MembershipView[];
}

export interface SessionState {
  viewer: ViewerView | null;
  login: { password: true; sign_up: boolean; oidc: boolean };
}

/** Sets and removes the session cookie, and describes the session to the page. */
@Injectable()
export class SessionReplies {
  constructor(
    private readonly sessions: Sessions,
    private readonly access: SessionAccess,
    private readonly logins: Logins,
    private readonly config: Config,
    private readonly browsers: KnownBrowsers,
  ) {}

  /** The client of a request, for limits and for the list of sessions. */
  clientOf({ ip, headers, raw }: FastifyRequest): Client {
    return { address: ip, userAgent: headers['user-agent'] ?? null, browser: this.browsers.of(raw) };
  }

  /** Gives the browser a new session instead of the one that it had. */
  async begin(request: FastifyRequest, reply: FastifyReply, token: string): Promise<SessionState> {
    const viewer = await this.open(request, reply, token);
    return this.state(request, viewer);
  }

  /** The same without a description. */
  async open(request: FastifyRequest, reply: FastifyReply, token: string): Promise<LoggedIn | null> {
    await this.endCurrent(request);
    void reply.header(
      'set-cookie',
      this.access.browser.sessionCookie(request.raw, token, this.sessions.longestSeconds),
    );
    const viewer = await this.sessions.find(token);
    if (viewer) void reply.header('set-cookie', this.browsers.cookie(request.raw, viewer.userId));
    return viewer;
  }

  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.endCurrent(request);
    void reply.header('set-cookie', this.access.browser.sessionCookie(request.raw, null, 0));
  }

  /** The person whose session the browser has; null without one. For public routes. */
  async current(request: FastifyRequest): Promise<LoggedIn | null> {
    const token = this.access.browser.tokenOf(request.raw);
    return token === null ? null : this.access.find(token);
  }

  state(request: FastifyRequest, viewer: LoggedIn | null): SessionState {
    const sign_up = this.logins.isSignUpOpen;
    const oidc = this.config.settings.OIDC_ISSUER !== undefined;
    return {
      viewer: viewer && toViewer(viewer, request.headers[ACCOUNT_HEADER]),
      login: { password: true, sign_up, oidc },
    };
  }

  private async endCurrent(request: FastifyRequest): Promise<void> {
    const viewer = await this.current(request);
    if (viewer) await this.sessions.end(viewer.userId, viewer.sessionId, request.ip);
  }
}

function toViewer(viewer: LoggedIn, accountId: unknown): ViewerView {
  const { memberships } = viewer;
  // A page may remember an account that the user has left since.
  const chosen = memberships.find((one) => one.accountId === accountId) ?? memberships[0];
  return {
    object: 'viewer',
    user: {
      id: viewer.userId,
      email: viewer.email,
      name: viewer.name,
      has_password: viewer.hasPassword,
      created_at: viewer.userCreatedAt.toISOString(),
    },
    session: {
      id: viewer.sessionId,
      created_at: viewer.createdAt.toISOString(),
      expires_at: viewer.expiresAt.toISOString(),
    },
    account: chosen === undefined ? null : toMembership(chosen),
    accounts: memberships.map(toMembership),
  };
}

function toMembership(membership: Membership): MembershipView {
  const { accountId: id, name, standing, plan, role } = membership;
  const operator = isOperator(membership);
  return {
    id,
    name,
    standing,
    plan,
    role,
    operator,
    scopes: [...scopesOf(membership)],
    abilities: ABILITIES.filter((one) => roleRights.abilities[role].has(one) || (one === 'operator' && operator)),
  };
}
