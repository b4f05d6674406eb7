import { Accounts } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { Config } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { LoginLimits, type Guesser } from './credentials/login-limits.js';
import { hashPassword, verifyPassword } from './credentials/password-hash.js';
import { linkExpired } from './credentials/token.js';
import type { Letter } from './letter.js';
import type { User } from './people.resource.js';
import type { LoggedIn } from './session-lookup.js';
import { Sessions, type Client, type EndedSession } from './sessions.js';
import { UserLinks, type LinkPurpose } from './user-links.js';
import { normaliseEmail } from './user-rules.js';
import { Users } from './users.js';

/** The plan of an account that was made by signing up. */
const SIGN_UP_PLAN = 'free';

export interface SignUp {
  token: string;
  password: string;
  name?: string;
  accountName?: string;
}

/**
 * Logs people in: with password, login link, password reset and sign-up. Each method that ends in a login returns the token
 * of the new session. Answers do not tell whether an address belongs to a user.
 */
@Injectable()
export class Logins {
  readonly limits = new LoginLimits();

  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly sessions: Sessions,
    private readonly links: UserLinks,
    private readonly accounts: Accounts,
    private readonly config: Config,
  ) {}

  get isSignUpOpen(): boolean {
    return this.config.settings.SIGNUP === 'on';
  }

  /** @throws Refusal not_logged_in with the code wrong_credentials; rate_limit_exceeded */
  async withPassword(email: string, password: string, client: Client): Promise<string> {
    const user = await this.verified({ email, password }, client);
    return this.sessions.begin(user.id, client, 'password');
  }

  /**
   * The user with this address and password.
   * @param session of the user, for somebody who is logged in
   * @throws as `withPassword`
   */
  async verified(
    { email, password, session }: { email: string; password: string; session?: string },
    client: Client,
  ): Promise<User> {
    const found = await this.users.findByEmail(email);
    const known = found === null ? null : (browserOf(client, found.id) ?? session ?? null);
    const by = { address: client.address, known, email: normaliseEmail(email) };
    const user = await this.limits.guess(by, async () =>
      (await verifyPassword(found?.password_hash ?? null, password)) ? found : null,
    );
    if (user !== null) return user;
    throw new Refusal(
      'not_logged_in',
      [{ field: '', code: 'wrong_credentials', message: 'must be the email address and password of a user' }],
      'The email address or the password is wrong.',
    );
  }

  /** Null if the link has expired or was used. @throws Refusal rate_limit_exceeded */
  withLink(token: string, client: Client): Promise<string | null> {
    return this.limits.guess(guesserOf(client), () =>
      this.database.transaction(async (tx) => {
        const link = await this.links.use(tx, 'login', token);
        return link?.userId ? this.sessions.beginIn(tx, link.userId, { client, method: 'link' }) : null;
      }),
    );
  }

  /** @throws Refusal with the code link_expired; rate_limit_exceeded */
  async requireLink(token: string, client: Client): Promise<string> {
    const session = await this.withLink(token, client);
    if (session === null) throw linkExpired();
    return session;
  }

  /** The message to send, if any. Call `limits.takeRequest` before, and answer without waiting. */
  async requestReset(email: string): Promise<Letter | null> {
    const user = await this.users.findByEmail(email);
    if (user === null || !this.limits.mayWriteTo(user.email)) return null;
    const token = await this.links.create('password_reset', { userId: user.id, email: user.email });
    return { kind: 'password_reset', to: user.email, token };
  }

  /** Sets the password and ends all sessions but the new one. @throws Refusal with the code link_expired */
  async reset(token: string, password: string, client: Client): Promise<{ session: string; letter: Letter }> {
    await this.findLink('password_reset', token, client);
    const passwordHash = await hashPassword(password);
    return this.endingSessions(async (tx) => {
      const { userId, email } = (await this.links.use(tx, 'password_reset', token)) ?? {};
      const user = userId ? await this.users.find(userId, tx) : null;
      // The address was changed since: the link proves nothing about the new one.
      if (user === null || user.email !== email) throw linkExpired();
      await this.users.setPassword(tx, user.id, { passwordHash, ip: client.address });
      const ended = await this.sessions.endIn(tx, user.id);
      const session = await this.sessions.beginIn(tx, user.id, { client, method: 'password_reset' });
      return { ended, result: { session, letter: passwordChanged(user.email, client) } };
    });
  }

  /** The message to send, if any. Call `limits.takeRequest` before, and answer without waiting. */
  async requestSignUp(email: string): Promise<Letter | null> {
    const to = normaliseEmail(email);
    if (!this.limits.mayWriteTo(to)) return null;
    if ((await this.users.findByEmail(to)) !== null) return { kind: 'known_address', to };
    return { kind: 'sign_up', to, token: await this.links.create('sign_up', { email: to }) };
  }

  /** Creates the user and an account that the user owns. @throws Refusal with the code link_expired; not_found unless SIGNUP=on */
  async signUp({ token, password, name = '', accountName }: SignUp, client: Client): Promise<string> {
    if (!this.isSignUpOpen) throw new Refusal('not_found');
    await this.findLink('sign_up', token, client);
    const passwordHash = await hashPassword(password);
    return this.database.transaction(async (tx) => {
      const email = (await this.links.use(tx, 'sign_up', token))?.email;
      const user = email ? await this.users.create(tx, { email, name, passwordHash }) : null;
      if (user === null) throw linkExpired();
      await this.openAccount(tx, user, accountName);
      return this.sessions.beginIn(tx, user.id, { client, method: 'sign_up' });
    });
  }

  /** A new account on the plan `free`, owned by this user. */
  async openAccount(tx: Queryable, user: User, accountName?: string): Promise<void> {
    const name = accountName?.trim() || user.name || user.email;
    const { id: accountId } = await this.accounts.createIn(tx, {
      name,
      plan: SIGN_UP_PLAN,
      notifyAddresses: [user.email],
    });
    await this.users.join(tx, { accountId, userId: user.id, role: 'owner' });
    await this.users.record(tx, user.id, { action: 'account.created', target: accountId, details: { name } });
  }

  /**
   * Changes the password of somebody who is logged in, and ends the other sessions. Returns the message about it.
   * @throws Refusal not_logged_in with the code wrong_credentials
   */
  async changePassword(viewer: LoggedIn, change: { current?: string; next: string }, client: Client): Promise<Letter> {
    await this.confirm(viewer, change.current, client);
    const passwordHash = await hashPassword(change.next);
    await this.endingSessions(async (tx) => {
      await this.users.setPassword(tx, viewer.userId, { passwordHash, ip: client.address });
      return { ended: await this.sessions.endIn(tx, viewer.userId, { except: viewer.sessionId }), result: undefined };
    });
    await this.sessions.refresh(viewer.userId);
    return passwordChanged(viewer.email, client);
  }

  /** The message to the new address. @throws Refusal not_logged_in with the code wrong_credentials */
  async requestEmailChange(
    viewer: LoggedIn,
    change: { email: string; current?: string },
    client: Client,
  ): Promise<Letter | null> {
    this.limits.takeRequest(client.address);
    await this.confirm(viewer, change.current, client);
    const to = normaliseEmail(change.email);
    if (!this.limits.mayWriteTo(to)) return null;
    if ((await this.users.findByEmail(to)) !== null) return { kind: 'known_address', to };
    return {
      kind: 'email_change',
      to,
      token: await this.links.create('email_change', { userId: viewer.userId, email: to }),
    };
  }

  /** The message to the former address. @throws Refusal with the code link_expired */
  async changeEmail(token: string, client: Client): Promise<Letter> {
    await this.findLink('email_change', token, client);
    const { userId, ...letter } = await this.database.transaction(async (tx) => {
      const { userId: id, email } = (await this.links.use(tx, 'email_change', token)) ?? {};
      const user = id ? await this.users.find(id, tx) : null;
      if (!user || !email || !(await this.users.setEmail(tx, user.id, { email, ip: client.address })))
        throw linkExpired();
      return { userId: user.id, kind: 'email_changed' as const, to: user.email, email, ip: client.address };
    });
    await this.sessions.refresh(userId);
    return letter;
  }

  /** Whoever finds an open browser must not be able to take over the user. */
  private async confirm(viewer: LoggedIn, password: string | undefined, client: Client): Promise<void> {
    const { email, hasPassword, sessionId: session } = viewer;
    if (hasPassword) await this.verified({ email, password: password ?? '', session }, client);
  }

  private async findLink(
    purpose: LinkPurpose,
    token: string,
    client: Client,
  ): Promise<{ userId: string | null; email: string | null }> {
    const link = await this.limits.guess(guesserOf(client), () => this.links.find(purpose, token));
    if (link === null) throw linkExpired();
    return link;
  }

  private async endingSessions<T>(
    work: (tx: Queryable) => Promise<{ ended: readonly EndedSession[]; result: T }>,
  ): Promise<T> {
    const { ended, result } = await this.database.transaction(work);
    this.sessions.forget(ended);
    return result;
  }
}

/** The key of the browser for guesses of the secrets of this user; null if the user has not logged in with it. */
const browserOf = ({ browser }: Client, userId: string): string | null =>
  browser?.userIds.includes(userId) ? `${browser.id} ${userId}` : null;

/** For tokens, which cannot be guessed: a known browser need not be that of the user. */
export const guesserOf = ({ address, browser }: Client): Guesser => ({ address, known: browser?.id ?? null });

const passwordChanged = (to: string, { address: ip }: Client): Letter => ({ kind: 'password_changed', to, ip });
