import { Accounts } from '#libs/accounts';
import { Database } from '#libs/persistence';
import { FirstOwner } from '#libs/users';
import { describe, expect } from 'vitest';
import { dashboardTest } from '../../support/browser/dashboard-tests.js';

const ADMIN = 'admin@example.com';
/** As if the clock had been set back, or rows of another installation imported. */
const EARLIER = '0'.repeat(32);

const it = dashboardTest.extend(
  'settings',
  { scope: 'file' },
  { TRUST_PROXY: '127.0.0.1', BOOTSTRAP_ADMIN_EMAIL: ADMIN },
);

describe('the first account', () => {
  let first: string | undefined;

  it.beforeAll(async ({ gateway }) => {
    first = (await gateway.app.get(Accounts).first())?.id;
    const query = (sql: string, ...values: unknown[]) => gateway.app.get(Database).query(sql, values);
    const [accountId, userId] = [`acc_${EARLIER}`, `usr_${EARLIER}`];
    await query(`INSERT INTO accounts (id, name, plan) VALUES ($1, 'Imported', 'unlimited')`, accountId);
    await query(`INSERT INTO users (id, email) VALUES ($1, 'imported@example.com')`, userId);
    await query(`INSERT INTO memberships (account_id, user_id, role) VALUES ($1, $2, 'owner')`, accountId, userId);
    await query(
      `INSERT INTO memberships (account_id, user_id, role, created_at) VALUES ($1, $2, 'owner', now() + interval '1 hour')`,
      first,
      userId,
    );
  });

  it('is not one with a smaller id', async ({ gateway, dashboard }) => {
    expect((await gateway.app.get(Accounts).first())?.id).toBe(first);
    const browser = await dashboard.loggedIn('imported@example.com');
    const { accounts } = (await browser.get('/app/api/session')).body.viewer;
    expect(accounts.map(({ id, operator }: { id: string; operator: boolean }) => [id === first, operator])).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  it('sends the messages of the service', async ({ gateway, dashboard }) => {
    await dashboard.browser().post('/app/api/password-reset', { email: ADMIN });
    expect(await dashboard.tokenSentTo(ADMIN)).not.toBe('');
    const { rows } = await gateway.app
      .get(Database)
      .query(`SELECT DISTINCT account_id FROM emails WHERE header_to = ARRAY[$1]`, [ADMIN]);
    expect(rows).toEqual([{ account_id: first }]);
  });

  it('has the first user as its owner, whom the links of the terminal log in', async ({ gateway, dashboard }) => {
    const emailOf = async (path: string | null | undefined) => {
      const browser = dashboard.browser();
      await browser.navigate(path ?? '');
      return (await browser.get('/app/api/session')).body.viewer?.user.email;
    };
    const owner = gateway.app.get(FirstOwner);
    expect((await owner.loginLink())?.email).toBe(ADMIN);
    expect(await emailOf(await owner.firstLoginLink())).toBe(ADMIN);
  });
});
