import { Accounts } from '#libs/accounts';
import type { Role } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { FirstOwner, Users } from '#libs/users';
import { hash } from '@node-rs/argon2';
import { Browser } from './browser.js';
import type { GatewayApp } from '../fixtures/gateway-app.js';
import { until } from '../timing/until.js';

export const PASSWORD = 'correct horse battery';
let passwordHash: Promise<string> | undefined;
let made = 0;

/** People with logins at one gateway. Each browser has an address of its own: set `TRUST_PROXY=127.0.0.1`. */
export class DashboardFixture {
  private readonly database: Database;

  constructor(readonly gateway: GatewayApp) {
    this.database = gateway.app.get(Database);
  }

  browser(host?: string): Browser {
    made += 1;
    return new Browser(this.gateway.port, host, `203.0.${made >> 8}.${made & 255}`);
  }

  async account(name = 'Letters'): Promise<string> {
    return (await this.gateway.app.get(Accounts).create({ name, plan: 'unlimited' })).id;
  }

  /** A user with `PASSWORD`, and with this role in the account. */
  async person(accountId?: string, role: Role = 'owner'): Promise<{ id: string; email: string }> {
    made += 1;
    const email = `person${made}@example.com`;
    // One hash for all: hashing takes long on purpose.
    passwordHash ??= hash(PASSWORD);
    const users = this.gateway.app.get(Users);
    const stored = await passwordHash;
    return this.database.transaction(async (tx) => {
      const user = await users.create(tx, { email, passwordHash: stored });
      if (user === null) throw new Error('the address is taken');
      if (accountId !== undefined) await users.join(tx, { accountId, userId: user.id, role });
      return { id: user.id, email };
    });
  }

  async join(accountId: string, userId: string, role: Role): Promise<void> {
    await this.database.transaction((tx) => this.gateway.app.get(Users).join(tx, { accountId, userId, role }));
  }

  async leave(accountId: string, userId: string): Promise<void> {
    await this.database.query('DELETE FROM memberships WHERE account_id = $1 AND user_id = $2', [accountId, userId]);
  }

  /** A browser in which this person is logged in, by a login link, which costs no hash. */
  async loggedIn(email: string, host?: string): Promise<Browser> {
    const browser = this.browser(host);
    const link = await this.gateway.app.get(FirstOwner).loginLink(email);
    const answer = await browser.navigate(link?.path ?? '');
    if (answer.headers['location'] !== '/app/') throw new Error(`no login: ${answer.text}`);
    return browser;
  }

  /** A new member of the account, logged in. */
  async member(accountId: string, role: Role): Promise<{ id: string; email: string; browser: Browser }> {
    const person = await this.person(accountId, role);
    return { ...person, browser: await this.loggedIn(person.email) };
  }

  /** The token in the newest message to this address, once it is stored. */
  async tokenSentTo(email: string, after = 0): Promise<string> {
    let texts: string[] = [];
    await until(async () => (texts = await this.sentTo(email)).length > after);
    return /token=([\w-]+)/.exec(texts[0])?.[1] ?? '';
  }

  /** The messages to this address, newest first. */
  async sentTo(email: string): Promise<string[]> {
    const { rows } = await this.database.query<{ content: Buffer }>(
      `SELECT c.body AS content FROM email_contents c JOIN recipients r ON r.email_id = c.email_id WHERE r.address = $1 ORDER BY c.email_id DESC`,
      [email],
    );
    // Quoted-printable (RFC 2045 section 6.7).
    return rows.map(({ content }) => content.toString().replaceAll('=\r\n', '').replaceAll('=3D', '='));
  }

  async auditActions(accountId: string): Promise<string[]> {
    const { rows } = await this.database.query<{ action: string }>(
      'SELECT action FROM audit_log WHERE account_id = $1 ORDER BY id',
      [accountId],
    );
    return rows.map(({ action }) => action);
  }
}
