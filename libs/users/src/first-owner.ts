import { Accounts } from '#libs/accounts';
import { Config, Log } from '#libs/kernel';
import { Database, installation } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { hashPassword } from './credentials/password-hash.js';
import { normaliseEmail } from './user-rules.js';
import { UserLinks } from './user-links.js';
import { Users } from './users.js';

/** The first user, who owns the first account and so operates the service. */
@Injectable()
export class FirstOwner {
  constructor(
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly links: UserLinks,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * Creates the first user from `BOOTSTRAP_ADMIN_EMAIL` and `BOOTSTRAP_ADMIN_PASSWORD`, unless there are users. Several
   * programs may call it at the same time: the address is unique.
   */
  async ensure(): Promise<void> {
    const account = await this.accounts.first();
    if (account === null || (await this.anyUser())) return;
    const { BOOTSTRAP_ADMIN_EMAIL, BOOTSTRAP_ADMIN_PASSWORD, SERVICE_DOMAIN } = this.config.settings;
    const email = BOOTSTRAP_ADMIN_EMAIL ?? `admin@${SERVICE_DOMAIN}`;
    const passwordHash = BOOTSTRAP_ADMIN_PASSWORD === undefined ? null : await hashPassword(BOOTSTRAP_ADMIN_PASSWORD);
    await this.database.transaction(async (tx) => {
      const user = await this.users.create(tx, { email, passwordHash });
      if (user === null) return;
      await this.users.join(tx, { accountId: account.id, userId: user.id, role: 'owner' });
      await installation.recordFirstUser(tx, user.id);
      await this.users.record(tx, user.id, { action: 'user.created', details: { email: user.email } });
      this.log.info('created the first user of the dashboard', { user: user.id });
    });
  }

  /** The path of a link that logs the first user in; null once that user has a password or logs in by OpenID. */
  async firstLoginLink(): Promise<string | null> {
    const { rows } = await this.database.query<{ id: string }>(
      `SELECT u.id FROM users u
        WHERE u.id = (SELECT first_user_id FROM installation) AND u.password_hash IS NULL
          AND NOT EXISTS (SELECT FROM user_identities i WHERE i.user_id = u.id)`,
    );
    return rows.length === 0 ? null : this.linkFor(rows[0].id);
  }

  /**
   * A login link for the user with this address, or for the first owner of the first account.
   * @returns null without such a user
   */
  async loginLink(email?: string): Promise<{ email: string; path: string } | null> {
    const { rows } = await this.database.query<{ id: string; email: string }>(
      email === undefined
        ? `SELECT u.id, u.email FROM installation i JOIN memberships m ON m.account_id = i.first_account_id
             JOIN users u ON u.id = m.user_id
            WHERE m.role = 'owner' ORDER BY u.id = i.first_user_id DESC, m.created_at, u.id LIMIT 1`
        : 'SELECT id, email FROM users WHERE email = $1',
      email === undefined ? [] : [normaliseEmail(email)],
    );
    if (rows.length === 0) return null;
    const [{ id, email: address }] = rows;
    return { email: address, path: await this.linkFor(id) };
  }

  private async linkFor(userId: string): Promise<string> {
    return `/app/login?link=${await this.links.create('login', { userId })}`;
  }

  private async anyUser(): Promise<boolean> {
    const { rows } = await this.database.query('SELECT FROM users LIMIT 1');
    return rows.length > 0;
  }
}
