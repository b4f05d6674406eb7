import { Accounts } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { Config } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { LoginLimits } from './credentials/login-limits.js';
import { hashPassword, verifyPassword } from './credentials/password-hash.js';
import { linkExpired } from './credentials/token.js';
import type { Letter } from './letter.js';
import type { LoggedIn } from './session-lookup.js';
import { Sessions, type Client, type EndedSession } from './sessions.js';
import { UserLinks, type LinkPurpose } from './user-links.js';
import { normaliseEmail } from './user-rules.js';
import { Users, type User } from './users.js';

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
    const user = await this.verified(email, password, client);
    return this.sessions.begin(user.id, client, 'password');
  }

  /** The user with this address and password. @throws as `withPassword` */
  async verified(email: string, password: string, client: Client): Promise<User> {
    const user = await this.limits.guess(client.address, async () => {
      this.limits.takeEmail(normaliseEmail(email));
      const found = await this.users.findByEmail(email);
      return (await verifyPassword(found?.passwordHash ?? null, password)) ? found : null;
    });
    if (user !== null) return user;
    throw new Refusal(
      'not_logged_in',
      [{ field: '', code: 'wrong_credentials', message: 'must be the e-mail address and password of a user' }],
      'The e-mail address or the password is wrong.',
    );
  }

  /** Null if the link has expired or was used. @throws Refusal rate_limit_exceeded */
  withLink(token: string, client: Client): Promise<string | null> {
    return this.limits.guess(client.address, () =>
      this.database.transaction(async (tx) => {
        const link = await this.links.use(tx, 'login', token);
        return link?.userId ? this.sessions.beginIn(tx, link.userId, { client, method: 'link' }) : null;
      }),
    );
  }

  /** The message to send, if any. Call `limits.takeRequest` before, and answer without waiting. */
  async requestReset(email: string): Promise<Letter | null> {
    const user = await this.users.findByEmail(email);
    if (user === null || !this.limits.mayWriteTo(user.email)) return null;
    const token = await this.links.create('password_reset', { userId: user.id, email: user.email });
    return { kind: 'password_reset', to: user.email, token };
  }

  /** Sets the password and ends all sessions but the new one. @throws Refusal with the code link_expired */
  async reset(token: string, password: string, client: Client): Promise<string> {
    await this.findLink('password_reset', token, client);
    const passwordHash = await hashPassword(password);
    return this.endingSessions(async (tx) => {
      const { userId, email } = (await this.links.use(tx, 'password_reset', token)) ?? {};
      const user = userId ? await this.users.find(userId, tx) : null;
      // The address was changed since: the link proves nothing about the new one.
      if (user === null || user.email !== email) throw linkExpired();
      await this.users.setPassword(tx, user.id, { passwordHash, ip: client.address });
      const ended = await this.sessions.endIn(tx, user.id);
      return { ended, result: await this.sessions.beginIn(tx, user.id, { client, method: 'password_reset' }) };
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
   * Changes the password of somebody who is logged in, and ends the other sessions.
   * @throws Refusal not_logged_in with the code wrong_credentials
   */
  async changePassword(viewer: LoggedIn, change: { current?: string; next: string }, client: Client): Promise<void> {
    await this.confirm(viewer, change.current, client);
    const passwordHash = await hashPassword(change.next);
    await this.endingSessions(async (tx) => {
      await this.users.setPassword(tx, viewer.userId, { passwordHash, ip: client.address });
      return { ended: await this.sessions.endIn(tx, viewer.userId, { except: viewer.sessionId }), result: undefined };
    });
    await this.sessions.refresh(viewer.userId);
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

  /** @throws Refusal with the code link_expired */
  async changeEmail(token: string, client: Client): Promise<void> {
    const { userId } = await this.findLink('email_change', token, client);
    await this.database.transaction(async (tx) => {
      const link = await this.links.use(tx, 'email_change', token);
      if (
        !link?.userId ||
        !link.email ||
        !(await this.users.setEmail(tx, link.userId, { email: link.email, ip: client.address }))
      )
        throw linkExpired();
    });
    if (userId !== null) await this.sessions.refresh(userId);
  }

  /** Whoever finds an open browser must not be able to take over the user. */
  private async confirm(viewer: LoggedIn, password: string | undefined, client: Client): Promise<void> {
    if (viewer.hasPassword) await this.verified(viewer.email, password ?? '', client);
  }

  private async findLink(
    purpose: LinkPurpose,
    token: string,
    client: Client,
  ): Promise<{ userId: string | null; email: string | null }> {
    const link = await this.limits.guess(client.address, () => this.links.find(purpose, token));
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
