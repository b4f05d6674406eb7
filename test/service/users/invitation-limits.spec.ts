import { Database } from '#libs/persistence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../../support/browser/browser.js';
import { DashboardFixture } from '../../support/browser/dashboard-fixture.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';

const NETWORK = 100;
const PER_DAY = 50;
const OPEN = 100;
let made = 0;
const newAddress = () => `invited${(made += 1)}@example.net`;

describe('invitations', () => {
  let gateway: GatewayApp;
  let dashboard: DashboardFixture;

  beforeAll(async () => {
    gateway = await startGatewayApp({ TRUST_PROXY: '127.0.0.1', SIGNUP: 'on' });
    dashboard = new DashboardFixture(gateway);
  });
  afterAll(() => gateway.stop());

  const query = (sql: string, ...values: unknown[]) => gateway.app.get(Database).query(sql, values);
  const owner = async () => {
    const accountId = await dashboard.account();
    return { accountId, ...(await dashboard.member(accountId, 'owner')) };
  };
  const invite = async (browser: Browser, email = newAddress(), role = 'viewer') =>
    browser.post('/app/api/invitations', { email, role });
  /** The statuses of this many invitations, each of which is revoked at once. */
  async function inviteAndRevoke(browser: Browser, times: number, email?: () => string): Promise<number[]> {
    const statuses: number[] = [];
    for (let i = 0; i < times; i += 1) {
      const { status, body } = await invite(browser, email?.());
      statuses.push(status);
      if (status === 201) await browser.delete(`/app/api/invitations/${body.id}`);
    }
    return statuses;
  }
  const limited = { statusCode: 429, details: [{ field: 'email', code: 'too_many_invitations' }] };

  it('are limited per account and day, also if they are revoked', async () => {
    const { accountId, browser } = await owner();
    expect(new Set(await inviteAndRevoke(browser, PER_DAY))).toEqual(new Set([201]));
    expect((await invite(browser)).body).toMatchObject(limited);
    const { browser: other } = await owner();
    expect((await invite(other)).status, 'another account').toBe(201);
    await query(
      `UPDATE invitation_messages SET sent_at = now() - interval '25 hours' WHERE account_id = $1`,
      accountId,
    );
    expect((await invite(browser)).status, 'a day later').toBe(201);
  });

  it('are limited per invited address, whatever account invites and however the address is written', async () => {
    const email = newAddress();
    const spellings = [email, email.toUpperCase(), ` ${email}`];
    for (const spelling of spellings) expect((await invite((await owner()).browser, spelling)).status).toBe(201);
    expect((await invite((await owner()).browser, email)).body).toMatchObject(limited);
  });

  it('are limited per network, whatever account invites', async () => {
    const first = await owner();
    const second = await owner();
    const third = await owner();
    for (const { browser } of [second, third]) Object.assign(browser, { address: first.browser.address });
    await query('DELETE FROM invitation_messages');
    const statuses = await Promise.all([
      inviteAndRevoke(first.browser, NETWORK / 2),
      inviteAndRevoke(second.browser, NETWORK / 2),
    ]);
    expect(new Set(statuses.flat())).toEqual(new Set([201]));
    expect((await invite(third.browser)).body).toMatchObject(limited);
    expect((await invite((await owner()).browser)).status, 'another network').toBe(201);
  });

  it('are limited in the number of open ones, also when they come at once', async () => {
    const { accountId, browser, id } = await owner();
    await query(
      `INSERT INTO invitations (id, account_id, email, role, token_hash, invited_by, expires_at)
       SELECT 'inv_' || $1 || n, $1, n || '@open.example', 'viewer', sha256(($1 || n)::bytea), $2, now() + interval '1 day'
         FROM generate_series(1, $3::int) n`,
      accountId,
      id,
      OPEN - 1,
    );
    const answers = await Promise.all([invite(browser), invite(browser), invite(browser)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.details).toMatchObject([{ code: 'too_many' }]);
    expect((await invite(browser, '1@open.example')).status, 'replaces one').toBe(201);
  });

  it.each([
    ['https://evil.example/a?b=c', 'https evil example a?b=c'],
    ['Pay at evil.example now', 'Pay at evil example now'],
    ['evil。example', 'evil example'],
    ['evil．example', 'evil example'],
    ['www.evil.example', 'www evil example'],
    ['mailto:a@evil.example', 'mailto a evil example'],
    [String.raw`\\evil.example\share`, 'evil example share'],
    ['Acme Inc.', 'Acme Inc.'],
    ['Müller & Söhne GmbH', 'Müller & Söhne GmbH'],
  ])('have no links in the names that others chose: %s', async (name, shown) => {
    const accountId = await dashboard.account(name);
    const { browser, email } = await dashboard.member(accountId, 'owner');
    await browser.patch('/app/api/profile', { name });
    const invited = newAddress();
    expect((await invite(browser, invited)).status).toBe(201);
    await dashboard.tokenSentTo(invited);
    const [text] = await dashboard.sentTo(invited);
    const decoded = Buffer.from(
      text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
      'latin1',
    ).toString();
    expect(decoded).toContain(`Account: ${shown}\r\n`);
    expect(decoded).toContain(`Invited by: ${shown} (${email})\r\n`);
  });

  describe('end with the rights of the member who made them', () => {
    const open = async (accountId: string) =>
      (await query('SELECT email FROM invitations WHERE account_id = $1 ORDER BY email', accountId)).rows.map(
        ({ email }) => String(email),
      );

    it('on removal, with an entry in the audit log for each', async () => {
      const { accountId, browser, id: ownerId } = await owner();
      const admin = await dashboard.member(accountId, 'admin');
      await invite(admin.browser, 'accomplice@example.net', 'admin');
      const token = await dashboard.tokenSentTo('accomplice@example.net');
      await invite(browser, 'stays@example.net');
      const removed = await browser.delete(`/app/api/members/${admin.id}`);
      expect(removed.status).toBe(200);
      expect(removed.body).toMatchObject({ object: 'member', id: admin.id, deleted: true });
      expect(removed.body.revoked_invitations).toMatchObject([{ email: 'accomplice@example.net', role: 'admin' }]);
      expect(await open(accountId)).toEqual(['stays@example.net']);
      const accept = { token, password: 'another good password' };
      expect((await dashboard.browser().post('/app/api/invitations/accept', accept)).status).toBe(400);
      const { rows } = await query(
        `SELECT actor, action, details FROM audit_log WHERE account_id = $1 AND action = 'invitation.revoked'`,
        accountId,
      );
      expect(rows).toEqual([
        { actor: ownerId, action: 'invitation.revoked', details: { email: 'accomplice@example.net', role: 'admin' } },
      ]);
    });

    it('on leaving, and on a role that may not have made them', async () => {
      const { accountId, browser } = await owner();
      const [leaves, demoted, other] = [
        await dashboard.member(accountId, 'admin'),
        await dashboard.member(accountId, 'admin'),
        await dashboard.member(accountId, 'owner'),
      ];
      await invite(leaves.browser, 'a@example.net');
      await invite(demoted.browser, 'b@example.net');
      await invite(other.browser, 'c@example.net', 'owner');
      await invite(other.browser, 'd@example.net', 'admin');
      expect((await leaves.browser.delete(`/app/api/members/${leaves.id}`)).status).toBe(200);
      expect(await open(accountId)).toEqual(['b@example.net', 'c@example.net', 'd@example.net']);
      await browser.patch(`/app/api/members/${demoted.id}`, { role: 'developer' });
      expect(await open(accountId)).toEqual(['c@example.net', 'd@example.net']);
      await browser.patch(`/app/api/members/${other.id}`, { role: 'admin' });
      expect(await open(accountId), 'an admin may not invite an owner').toEqual(['d@example.net']);
    });

    it('and cannot be made by a session that has not seen the removal yet', async () => {
      const { accountId } = await owner();
      const admin = await dashboard.member(accountId, 'admin');
      expect((await admin.browser.get('/app/api/members')).status).toBe(200);
      await query('DELETE FROM memberships WHERE account_id = $1 AND user_id = $2', accountId, admin.id);
      expect((await invite(admin.browser, 'late@example.net')).status).toBe(403);
      expect(await open(accountId)).toEqual([]);
    });
  });

  it('leave API keys to the account, which are shown when the person who made them is removed', async () => {
    const { accountId, browser } = await owner();
    const developer = await dashboard.member(accountId, 'developer');
    const scopes = ['api_keys.read', 'api_keys.write', 'domains.read'];
    const create = async (by: Browser, name: string) => (await by.post('/api-keys', { name, scopes })).body;
    const own = await create(developer.browser, 'Of the developer');
    const revoked = await create(developer.browser, 'Revoked');
    await browser.delete(`/api-keys/${revoked.id}`);
    await create(browser, 'Of the owner');
    const derived = (await gateway.agent(own.token).post('/api-keys').send({ name: 'By that key', scopes })).body;
    const { body } = await browser.delete(`/app/api/members/${developer.id}`);
    expect(body.api_keys.map(({ id, name }: { id: string; name: string }) => [id, name])).toEqual([
      [derived.id, 'By that key'],
      [own.id, 'Of the developer'],
    ]);
    expect(body.api_keys[0]).toMatchObject({ object: 'api_key', enabled: true, last_used_at: null });
    expect(JSON.stringify(body)).not.toContain(own.token);
    expect((await gateway.agent(own.token).get('/domains')).status, 'the owner decides').toBe(200);
  });
});
