import { Database } from '#libs/persistence';
import { describe, expect } from 'vitest';
import { DashboardFixture, PASSWORD } from '../../support/browser/dashboard-fixture.js';
import { startGatewayApp } from '../../support/fixtures/gateway-app.js';
import { dashboardTest } from '../../support/browser/dashboard-tests.js';

const NEW_PASSWORD = 'another good password';
const expired = { statusCode: 400, details: [{ field: 'token', code: 'link_expired' }] };
const taken = { object: 'request', accepted: true };
let made = 0;
const newAddress = () => `new${(made += 1)}@example.net`;

const it = dashboardTest.extend('settings', { scope: 'file' }, { TRUST_PROXY: '127.0.0.1', SIGNUP: 'on' });

describe('people of the dashboard', () => {
  describe('a new password', () => {
    it('is set by a link, once, and ends all sessions', async ({ dashboard }) => {
      const { email, browser: before } = await dashboard.member(await dashboard.account(), 'owner');
      const browser = dashboard.browser();
      const answer = await browser.post('/app/api/password-reset', { email });
      expect([answer.status, answer.body]).toEqual([202, taken]);
      const token = await dashboard.tokenSentTo(email);
      const short = await browser.post('/app/api/password-reset/confirm', { token, password: 'elevenchars' });
      expect(short.body).toMatchObject({ statusCode: 400, details: [{ field: 'password', code: 'too_short' }] });
      const confirm = () =>
        dashboard.browser().post('/app/api/password-reset/confirm', { token, password: NEW_PASSWORD });
      const answers = await Promise.all([confirm(), confirm()]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
      expect((await confirm()).body).toMatchObject(expired);
      expect((await before.get('/domains')).status).toBe(401);
      const logIn = async (password: string) =>
        (await dashboard.browser().post('/app/api/login', { email, password })).status;
      expect([await logIn(PASSWORD), await logIn(NEW_PASSWORD)]).toEqual([401, 200]);
    });

    it('is answered alike for an unknown address, and is sent three times an hour', async ({ dashboard }) => {
      const unknown = await dashboard.browser().post('/app/api/password-reset', { email: newAddress() });
      expect([unknown.status, unknown.body]).toEqual([202, taken]);
      const { email } = await dashboard.person(await dashboard.account());
      for (let i = 0; i < 5; i += 1)
        expect((await dashboard.browser().post('/app/api/password-reset', { email })).body).toEqual(taken);
      await dashboard.tokenSentTo(email, 2);
      expect(await dashboard.sentTo(email)).toHaveLength(3);
      const browser = dashboard.browser();
      const statuses = new Set<number>();
      for (let i = 0; i < 21; i += 1) statuses.add((await browser.post('/app/api/password-reset', { email })).status);
      expect([...statuses]).toEqual([202, 429]);
    });

    it('is not set by a link of another kind, another address, or after an hour', async ({ gateway, dashboard }) => {
      const { id, email, browser } = await dashboard.member(await dashboard.account(), 'owner');
      const confirm = async (token: string) =>
        (await dashboard.browser().post('/app/api/password-reset/confirm', { token, password: NEW_PASSWORD })).body;
      const next = newAddress();
      await browser.post('/app/api/email', { email: next, current_password: PASSWORD });
      expect(await confirm(await dashboard.tokenSentTo(next))).toMatchObject(expired);
      await dashboard.browser().post('/app/api/password-reset', { email });
      const token = await dashboard.tokenSentTo(email);
      const set = (sql: string) => gateway.app.get(Database).query(sql, [id]);
      await set(`UPDATE users SET email = 'moved@example.com' WHERE id = $1`);
      expect(await confirm(token)).toMatchObject(expired);
      await dashboard.browser().post('/app/api/password-reset', { email: 'moved@example.com' });
      const late = await dashboard.tokenSentTo('moved@example.com');
      await set(`UPDATE user_links SET expires_at = now() WHERE user_id = $1`);
      expect(await confirm(late)).toMatchObject(expired);
    });

    it('needs the old one from somebody who is logged in, and ends the other sessions', async ({ dashboard }) => {
      const { email, browser } = await dashboard.member(await dashboard.account(), 'viewer');
      const other = await dashboard.loggedIn(email);
      const change = (current_password?: string) =>
        browser.post('/app/api/password', { current_password, password: NEW_PASSWORD });
      expect((await change()).body).toMatchObject({ statusCode: 401, details: [{ code: 'wrong_credentials' }] });
      expect((await change('wrong password')).status).toBe(401);
      expect((await change(PASSWORD)).status).toBe(204);
      expect((await browser.get('/domains')).status).toBe(200);
      expect((await other.get('/domains')).status).toBe(401);
    });
  });

  it('change their name, and their address after confirming it', async ({ dashboard }) => {
    const accountId = await dashboard.account();
    const { browser, email } = await dashboard.member(accountId, 'owner');
    expect((await browser.patch('/app/api/profile', { name: ' Ann ' })).body.viewer.user.name).toBe('Ann');
    const next = newAddress();
    expect((await browser.post('/app/api/email', { email: next })).status, 'without the password').toBe(401);
    expect((await browser.post('/app/api/email', { email: next, current_password: PASSWORD })).status).toBe(202);
    const token = await dashboard.tokenSentTo(next);
    expect((await browser.get('/app/api/session')).body.viewer.user.email).toBe(email);
    expect((await dashboard.browser().post('/app/api/email/confirm', { token })).status).toBe(204);
    expect((await browser.get('/app/api/session')).body.viewer.user.email).toBe(next);
    expect((await dashboard.browser().post('/app/api/email/confirm', { token })).body).toMatchObject(expired);
    const { email: other } = await dashboard.person();
    await browser.post('/app/api/email', { email: other, current_password: PASSWORD });
    expect((await dashboard.tokenSentTo(other)) || (await dashboard.sentTo(other))[0]).toContain('belongs to a user');
    expect(await dashboard.auditActions(accountId)).toEqual(['session.started', 'user.renamed', 'user.email_changed']);
  });

  describe('sign-up', () => {
    it('confirms the address, and opens an account on the plan free', async ({ dashboard }) => {
      const email = newAddress();
      const browser = dashboard.browser();
      expect((await browser.get('/app/api/session')).body.login.sign_up).toBe(true);
      expect((await browser.post('/app/api/sign-up', { email: email.toUpperCase() })).body).toEqual(taken);
      const token = await dashboard.tokenSentTo(email);
      const body = { token, password: NEW_PASSWORD, name: 'Ann', account_name: 'Ann and Sons' };
      const { status, body: state } = await browser.post('/app/api/sign-up/confirm', body);
      expect(status).toBe(200);
      expect(state.viewer).toMatchObject({
        user: { email, name: 'Ann' },
        account: { name: 'Ann and Sons', role: 'owner', plan: 'free', operator: false },
      });
      expect((await browser.post('/app/api/sign-up/confirm', body)).body).toMatchObject(expired);
      expect((await browser.get('/account')).body.notify_addresses).toEqual([email]);
      expect(await dashboard.auditActions(state.viewer.account.id)).toEqual(['account.created', 'session.started']);
    });

    it('does not tell that an address is known', async ({ dashboard }) => {
      const { email } = await dashboard.person();
      expect((await dashboard.browser().post('/app/api/sign-up', { email })).body).toEqual(taken);
      await dashboard.tokenSentTo(email);
      const [text] = await dashboard.sentTo(email);
      expect(text).toContain('belongs to a user already');
      expect(text).not.toContain('token=');
    });

    it('does not exist with SIGNUP=off', async ({ gateway }) => {
      const closed = await startGatewayApp({ DATABASE_URL: gateway.databaseUrl });
      const browser = new DashboardFixture(closed).browser();
      expect((await browser.post('/app/api/sign-up', { email: newAddress() })).status).toBe(404);
      const confirm = { token: 'x', password: NEW_PASSWORD };
      expect((await browser.post('/app/api/sign-up/confirm', confirm)).status).toBe(404);
      await closed.stop();
    });
  });

  describe('invitations', () => {
    it('make a new user a member, once', async ({ dashboard }) => {
      const accountId = await dashboard.account('Inviting');
      const { id, browser: admin } = await dashboard.member(accountId, 'admin');
      const email = newAddress();
      const invitation = await admin.post('/app/api/invitations', { email, role: 'developer' });
      expect(invitation.status).toBe(201);
      expect(invitation.body).toMatchObject({ object: 'invitation', email, role: 'developer', invited_by: id });
      expect(invitation.text, 'only the address gets the link').not.toContain('token');
      expect((await admin.get('/app/api/invitations')).body.data).toEqual([invitation.body]);
      const token = await dashboard.tokenSentTo(email);
      const browser = dashboard.browser();
      expect((await browser.post('/app/api/invitations/lookup', { token })).body).toMatchObject({
        email,
        role: 'developer',
        account_name: 'Inviting',
        user_exists: false,
      });
      const accept = (password?: string) =>
        browser.post('/app/api/invitations/accept', { token, password, name: 'Bo' });
      expect((await accept()).body).toMatchObject({ details: [{ field: 'password', code: 'required' }] });
      expect((await accept('short')).body).toMatchObject({ details: [{ field: 'password', code: 'too_short' }] });
      expect((await accept(NEW_PASSWORD)).body.viewer).toMatchObject({ account: { id: accountId, role: 'developer' } });
      expect((await accept(NEW_PASSWORD)).body).toMatchObject(expired);
      expect((await admin.get('/app/api/invitations')).body.data).toEqual([]);
      const members = (await admin.get('/app/api/members')).body.data;
      expect(members.map((one: { email: string; role: string }) => [one.email, one.role])[1]).toEqual([
        email,
        'developer',
      ]);
      expect(await dashboard.auditActions(accountId)).toEqual([
        'session.started',
        'invitation.created',
        'invitation.accepted',
        'session.started',
      ]);
      const again = await admin.post('/app/api/invitations', { email, role: 'viewer' });
      expect(again.body).toMatchObject({ statusCode: 409, details: [{ code: 'already_a_member' }] });
    });

    it('of a known user need the password or the session of that user', async ({ dashboard }) => {
      const { browser: owner } = await dashboard.member(await dashboard.account(), 'owner');
      const stranger = await dashboard.member(await dashboard.account(), 'owner');
      const invite = async (email: string) => {
        await owner.post('/app/api/invitations', { email, role: 'viewer' });
        return dashboard.tokenSentTo(email);
      };
      const one = await dashboard.member(await dashboard.account(), 'owner');
      const token = await invite(one.email);
      const accept = (by: typeof owner, password?: string) =>
        by.post('/app/api/invitations/accept', { token, password });
      expect((await accept(stranger.browser)).status, 'somebody else').toBe(401);
      expect((await accept(dashboard.browser(), 'wrong password')).status).toBe(401);
      expect((await accept(one.browser)).body.viewer.accounts).toHaveLength(2);
      const two = await dashboard.person();
      const second = { token: await invite(two.email), password: PASSWORD };
      const answer = await dashboard.browser().post('/app/api/invitations/accept', second);
      expect(answer.body.viewer.account.role).toBe('viewer');
    });

    it('are replaced by a later one, revoked, and expire', async ({ gateway, dashboard }) => {
      const accountId = await dashboard.account();
      const { browser: admin } = await dashboard.member(accountId, 'admin');
      const email = newAddress();
      const invite = async (role: string) => (await admin.post('/app/api/invitations', { email, role })).body;
      const lookUp = async (token: string) =>
        (await dashboard.browser().post('/app/api/invitations/lookup', { token })).body;
      await invite('viewer');
      const first = await dashboard.tokenSentTo(email);
      const { id } = await invite('admin');
      const second = await dashboard.tokenSentTo(email, 1);
      expect(await lookUp(first)).toMatchObject(expired);
      expect((await lookUp(second)).role).toBe('admin');
      expect((await admin.delete(`/app/api/invitations/${id}`)).status).toBe(204);
      expect((await admin.delete(`/app/api/invitations/${id}`)).status).toBe(404);
      expect(await lookUp(second)).toMatchObject(expired);
      await invite('viewer');
      const third = await dashboard.tokenSentTo(email, 2);
      await gateway.app
        .get(Database)
        .query('UPDATE invitations SET expires_at = now() WHERE account_id = $1', [accountId]);
      expect(await lookUp(third)).toMatchObject(expired);
    });
  });

  it('are in the audit log with their addresses, by kind, person and time', async ({ dashboard }) => {
    const accountId = await dashboard.account();
    const { id, browser } = await dashboard.member(accountId, 'owner');
    const other = await dashboard.member(accountId, 'viewer');
    await browser.patch(`/app/api/members/${other.id}`, { role: 'developer' });
    const list = async (query: string) =>
      (await browser.get(`/audit-log?${query}`)).body.data as { action: string; actor: string; ip: string }[];
    const actions = async (query: string) => (await list(query)).map(({ action }) => action);
    const [change] = await list('action=member');
    expect(change).toMatchObject({ action: 'member.role_changed', actor: id, ip: browser.address });
    expect(await actions(`actor=${other.id}`)).toEqual(['session.started']);
    expect(await actions(`actor=${other.id}&action=session`)).toEqual(['session.started']);
    expect(await actions(`target=${other.id}`)).toEqual(['member.role_changed']);
    expect(await actions('action=nothing')).toEqual([]);
    const hour = 3_600_000;
    expect(await actions(`created_after=${new Date(Date.now() + hour).toISOString()}`)).toEqual([]);
    expect(await actions(`created_after=${new Date(Date.now() - hour).toISOString()}`)).toHaveLength(3);
  });

  describe('members', () => {
    it('change roles at once, and leave', async ({ dashboard }) => {
      const accountId = await dashboard.account();
      const { browser: owner } = await dashboard.member(accountId, 'owner');
      const { id, browser: member } = await dashboard.member(accountId, 'developer');
      expect((await member.post('/domains', { name: 'role.example.com' })).status).toBe(201);
      const open = await member.connect();
      expect((await owner.patch(`/app/api/members/${id}`, { role: 'viewer' })).body).toMatchObject({
        id,
        role: 'viewer',
      });
      expect((await member.post('/domains', { name: 'role2.example.com' })).status).toBe(403);
      expect(await open.closed, 'it may rely on the lost scopes').toBe(4403);
      expect((await member.delete(`/app/api/members/${id}`)).status, 'oneself').toBe(200);
      expect((await member.get('/domains')).status).toBe(403);
      expect((await owner.get('/app/api/members')).body.data).toHaveLength(1);
      expect(await dashboard.auditActions(accountId)).toEqual(
        expect.arrayContaining(['member.role_changed', 'member.removed']),
      );
    });

    it('keep an owner, also when two leave at the same time', async ({ dashboard }) => {
      const accountId = await dashboard.account();
      const [one, two] = [await dashboard.member(accountId, 'owner'), await dashboard.member(accountId, 'owner')];
      const answers = await Promise.all([
        one.browser.delete(`/app/api/members/${one.id}`),
        two.browser.patch(`/app/api/members/${two.id}`, { role: 'admin' }),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => status === 409)).toHaveLength(1);
      expect(answers.find(({ status }) => status === 409)?.body.details).toMatchObject([{ code: 'last_owner' }]);
    });

    it('of the role admin do not touch owners', async ({ dashboard }) => {
      const accountId = await dashboard.account();
      const owner = await dashboard.member(accountId, 'owner');
      await dashboard.member(accountId, 'owner');
      const { id, browser: admin } = await dashboard.member(accountId, 'admin');
      const refused = { statusCode: 403, details: [{ code: 'role' }] };
      expect((await admin.patch(`/app/api/members/${owner.id}`, { role: 'viewer' })).body).toMatchObject(refused);
      expect((await admin.delete(`/app/api/members/${owner.id}`)).body).toMatchObject(refused);
      expect((await admin.patch(`/app/api/members/${id}`, { role: 'owner' })).body).toMatchObject(refused);
      const invite = await admin.post('/app/api/invitations', { email: newAddress(), role: 'owner' });
      expect(invite.body).toMatchObject(refused);
    });

    it('hand out API keys within their role', async ({ dashboard }) => {
      const { browser } = await dashboard.member(await dashboard.account(), 'developer');
      const create = (body: object) => browser.post('/api-keys', { name: 'Key', ...body });
      expect((await create({ scopes: ['emails.send'] })).status).toBe(201);
      expect((await create({ scopes: ['account.write'] })).body).toMatchObject({
        statusCode: 403,
        details: [{ field: 'scopes', code: 'exceeds_own_key' }],
      });
    });
  });
});
