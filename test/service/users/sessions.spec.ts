import { sleep } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Sessions } from '#libs/users';
import { describe, expect, vi } from 'vitest';
import { DashboardFixture } from '../../support/browser/dashboard-fixture.js';
import { startGatewayApp } from '../../support/fixtures/gateway-app.js';
import { until } from '../../support/timing/until.js';
import { dashboardTest } from '../../support/browser/dashboard-tests.js';

const it = dashboardTest.extend(
  'settings',
  { scope: 'file' },
  { TRUST_PROXY: '127.0.0.1', PUBLIC_URL: 'https://dashboard.example.com', GRAPHQL_SOCKETS_PER_ACCOUNT: '2' },
);

describe('sessions of the dashboard', () => {
  it('are listed, and ended one by one or all but the own one', async ({ dashboard }) => {
    const { email, browser } = await dashboard.member(await dashboard.account(), 'viewer');
    const others = [await dashboard.loggedIn(email), await dashboard.loggedIn(email), await dashboard.loggedIn(email)];
    const { data } = (await browser.get('/app/api/sessions')).body;
    expect(data).toHaveLength(4);
    expect(data.map(({ current }: { current: boolean }) => current)).toEqual([false, false, false, true]);
    expect(data[0]).toMatchObject({ object: 'session', ip: others[2].address });
    expect((await browser.delete(`/app/api/sessions/${data[0].id}`)).status).toBe(204);
    expect((await browser.delete(`/app/api/sessions/${data[0].id}`)).status).toBe(404);
    expect((await others[2].get('/domains')).status, 'at once').toBe(401);
    expect((await others[1].get('/domains')).status).toBe(200);
    expect((await browser.delete('/app/api/sessions')).body).toEqual({ object: 'list', ended: 2 });
    expect((await others[1].get('/domains')).status).toBe(401);
    expect((await browser.get('/domains')).status).toBe(200);
  });

  it('of other users cannot be ended', async ({ dashboard }) => {
    const account = await dashboard.account();
    const [one, other] = [await dashboard.member(account, 'owner'), await dashboard.member(account, 'viewer')];
    const { data } = (await other.browser.get('/app/api/sessions')).body;
    expect((await one.browser.delete(`/app/api/sessions/${data[0].id}`)).status).toBe(404);
    expect((await other.browser.get('/domains')).status).toBe(200);
  });

  it('end with their WebSockets, those of other sessions stay', async ({ dashboard }) => {
    const { email, browser } = await dashboard.member(await dashboard.account(), 'viewer');
    const other = await dashboard.loggedIn(email);
    const [kept, ended] = [await browser.connect(), await other.connect()];
    expect([kept.acknowledged, ended.acknowledged]).toEqual([true, true]);
    await browser.delete('/app/api/sessions');
    expect(await ended.closed).toBe(4403);
    expect(kept.socket.readyState).toBe(kept.socket.OPEN);
    kept.socket.terminate();
  });

  it('end in other programs as well', async ({ gateway, dashboard }) => {
    const second = await startGatewayApp({ DATABASE_URL: gateway.databaseUrl, TRUST_PROXY: '127.0.0.1' });
    const { email, browser } = await dashboard.member(await dashboard.account(), 'viewer');
    const elsewhere = new DashboardFixture(second).browser();
    elsewhere.cookies.set('session', (await dashboard.loggedIn(email)).cookies.get('session') ?? '');
    expect((await elsewhere.get('/domains')).status).toBe(200);
    await browser.delete('/app/api/sessions');
    await until(async () => (await elsewhere.get('/domains')).status === 401);
    await second.stop();
  });

  it('slide with use, up to their end', async ({ gateway, dashboard }) => {
    const { browser } = await dashboard.member(await dashboard.account(), 'viewer');
    const { id } = (await browser.get('/app/api/session')).body.viewer.session;
    const set = (times: string) => gateway.app.get(Database).query(`UPDATE sessions SET ${times} WHERE id = $1`, [id]);
    const days = async () => {
      const { rows } = await gateway.app
        .get(Database)
        .query<{ left: number }>(
          'SELECT round(extract(epoch FROM expires_at - now()) / 86400)::integer AS left FROM sessions WHERE id = $1',
          [id],
        );
      return rows[0]?.left;
    };
    const used = () => until(async () => (await browser.get('/domains')).status === 200 && (await days()) !== 1);
    await set(`last_seen_at = now() - interval '2 minutes', expires_at = now() + interval '1 day'`);
    await used();
    expect(await days()).toBe(7);
    await set(
      `last_seen_at = now() - interval '2 minutes', expires_at = now() + interval '1 day', ends_at = now() + interval '3 days'`,
    );
    await used();
    expect(await days()).toBe(3);
    await set(`expires_at = now() - interval '1 second'`);
    await until(async () => (await browser.get('/domains')).status === 401);
    await set(`expires_at = now() + interval '1 day', ends_at = now()`);
    await until(async () => (await browser.get('/domains')).status === 401);
  });

  it('are looked up in few statements, however many are asked for at once', async ({ gateway, dashboard }) => {
    const sessions = gateway.app.get(Sessions);
    const people = await Promise.all([1, 2, 3].map(async () => dashboard.member(await dashboard.account(), 'viewer')));
    const tokens = people.map(({ browser }) => browser.cookies.get('session') ?? '');
    await gateway.app.get(Database).query(`UPDATE sessions SET last_seen_at = now() - interval '2 minutes'`);
    const query = vi.spyOn(gateway.app.get(Database), 'query');
    const statementsOn = (table: RegExp) =>
      query.mock.calls.filter(([q]) => table.test(typeof q === 'string' ? q : q.text)).length;
    for (const { id } of people) await sessions.refresh(id);
    const strangers = Array.from({ length: 2_000 }, (_, i) => sessions.find(`unknown-${i}`));
    const found = await Promise.all([...tokens, ...tokens].map((token) => sessions.find(token)));
    expect(found.map((one) => one?.userId)).toEqual([...people, ...people].map(({ id }) => id));
    expect((await Promise.all(strangers)).every((one) => one === null)).toBe(true);
    expect(statementsOn(/FROM sessions s/)).toBeLessThanOrEqual(10);
    expect(statementsOn(/UPDATE sessions/)).toBeLessThanOrEqual(3);
    query.mockRestore();
  });

  describe('beside requests of other sites', () => {
    const foreign = 'https://evil.example';
    const cases: [name: string, headers: Record<string, string | null>, refused: boolean][] = [
      ['the own origin', {}, false],
      ['a foreign origin', { origin: foreign, 'sec-fetch-site': 'cross-site' }, true],
      ['another port of the same host', { origin: 'http://localhost:1', 'sec-fetch-site': 'same-site' }, true],
      ['the origin null', { origin: 'null', 'sec-fetch-site': 'cross-site' }, true],
      ['an origin that is no URL', { origin: 'http://[' }, true],
      ['no origin, of the same origin', { origin: null }, false],
      ['no origin, of another site', { origin: null, 'sec-fetch-site': 'cross-site' }, true],
      ['no origin, typed by the user', { origin: null, 'sec-fetch-site': 'none' }, true],
      ['neither', { origin: null, 'sec-fetch-site': null }, true],
      ['PUBLIC_URL', { origin: 'https://dashboard.example.com' }, false],
    ];

    it.for(cases)('with %s', async ([_name, headers, refused], { dashboard }) => {
      const { browser } = await dashboard.member(await dashboard.account(), 'owner');
      const sent = (name: string) => browser.send('POST', '/domains', { headers, body: { name } });
      const answer = await sent('csrf.example.com');
      if (refused) expect(answer.body).toMatchObject({ statusCode: 403, details: [{ code: 'wrong_origin' }] });
      else expect(answer.status).toBe(201);
      const graphql = await browser.send('POST', '/graphql', { headers, body: { query: '{ domains { name } }' } });
      expect(graphql.status).toBe(refused ? 403 : 200);
      const logout = await browser.send('POST', '/app/api/logout', { headers });
      expect(logout.status).toBe(refused ? 403 : 204);
      if (refused) expect((await browser.get('/domains')).body, 'nothing happened').toEqual([]);
    });

    it('reads for another site are refused, for a typed address they are answered', async ({ dashboard }) => {
      const { browser } = await dashboard.member(await dashboard.account(), 'owner');
      const read = async (headers: Record<string, string | null>) =>
        (await browser.get('/domains', { headers })).status;
      expect(await read({ 'sec-fetch-site': 'none' })).toBe(200);
      expect(await read({ 'sec-fetch-site': null })).toBe(200);
      expect(await read({ 'sec-fetch-site': 'cross-site' })).toBe(403);
      expect(await read({ origin: foreign })).toBe(403);
    });

    it('an upgrade needs the own origin', async ({ dashboard }) => {
      const { browser } = await dashboard.member(await dashboard.account(), 'owner');
      expect((await browser.connect({}, foreign)).acknowledged).toBe(false);
      expect(await (await browser.connect({}, foreign)).closed).toBe(403);
      const own = await browser.connect();
      expect(own.acknowledged).toBe(true);
      own.socket.terminate();
    });

    it('a key is not judged by its origin, and wins over a cookie', async ({ gateway, dashboard }) => {
      const { key, domain } = await gateway.account();
      const { browser } = await dashboard.member(await dashboard.account(), 'owner');
      const headers = { origin: foreign, authorization: `Bearer ${key}` };
      const answer = await browser.get('/domains', { headers });
      expect(answer.body).toMatchObject([{ name: domain }]);
      expect((await browser.get('/domains', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
      const withKey = await dashboard.browser().connect({ Authorization: `Bearer ${key}` }, foreign);
      expect(withKey.acknowledged).toBe(true);
      withKey.socket.terminate();
    });

    it('nobody is logged in by the page of another site', async ({ dashboard }) => {
      const login = (headers: Record<string, string | null>) =>
        dashboard.browser().send('POST', '/app/api/login', { headers, body: { email: 'a@b.example', password: 'x' } });
      expect((await login({ origin: foreign })).status).toBe(403);
      expect((await login({ origin: null, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect((await login({ origin: null, 'sec-fetch-site': null })).status, 'not a browser').toBe(401);
    });
  });

  describe('in several accounts', () => {
    it('x-account-id chooses, checked with each request and connection', async ({ gateway, dashboard }) => {
      const [first, second, foreign] = [
        await dashboard.account('A'),
        await dashboard.account('B'),
        await dashboard.account(),
      ];
      const { id, browser } = await dashboard.member(first, 'owner');
      await dashboard.join(second, id, 'viewer');
      const again = await dashboard.loggedIn((await browser.get('/app/api/session')).body.viewer.user.email);
      again.accountId = first;
      expect((await again.post('/domains', { name: 'in-a.example.com' })).status).toBe(201);
      again.accountId = second;
      expect((await again.get('/domains')).body).toEqual([]);
      expect((await again.post('/domains', { name: 'in-b.example.com' })).body).toMatchObject({
        statusCode: 403,
        name: 'invalid_access',
        details: [{ code: 'role' }],
        message: 'This needs the role developer; your role is viewer.',
      });
      const { viewer } = (await again.get('/app/api/session')).body;
      expect(viewer.account).toMatchObject({ id: second, role: 'viewer', operator: false });
      expect(viewer.accounts.map((one: { name: string }) => one.name)).toEqual(['A', 'B']);
      again.accountId = undefined;
      expect((await again.get(`/domains?x-account-id=${second}`)).body).toEqual([]);
      for (const unknown of [foreign, 'acc_none', '']) {
        again.accountId = unknown;
        expect((await again.get('/domains')).body).toMatchObject({
          statusCode: 403,
          details: [{ code: 'not_a_member' }],
        });
        again.accountId = undefined;
        expect((await again.connect({ 'x-account-id': unknown })).acknowledged).toBe(false);
      }
      const open = await again.connect({ 'x-account-id': second });
      expect(open.acknowledged).toBe(true);
      await gateway.app.get(Database).query('DELETE FROM memberships WHERE account_id = $1', [second]);
      expect(await open.closed, 'with the membership').toBe(4403);
    });

    it('a request or connection that names none is refused', async ({ dashboard }) => {
      const { id, browser } = await dashboard.member(await dashboard.account(), 'owner');
      await dashboard.join(await dashboard.account(), id, 'owner');
      const refusal = { statusCode: 403, details: [{ field: 'x-account-id', code: 'account_not_named' }] };
      await until(async () => (await browser.get('/domains')).status === 403);
      expect((await browser.get('/domains')).body).toMatchObject({
        ...refusal,
        message: expect.stringContaining('x-account-id') as string,
      });
      expect((await browser.graphql('{ domains { name } }')).body).toMatchObject(refusal);
      expect((await browser.get('/app/api/members')).body).toMatchObject(refusal);
      expect((await browser.post('/domains', { name: 'nowhere.example.com' })).body).toMatchObject(refusal);
      const unnamed = await browser.connect();
      expect([unnamed.acknowledged, await unnamed.closed]).toEqual([false, 4403]);
      expect((await browser.get('/app/api/sessions')).status, 'concerns no account').toBe(200);
    });

    it('a connection stays in its account, and ends with the membership in it', async ({ dashboard }) => {
      const [first, second] = [await dashboard.account('A'), await dashboard.account('B')];
      const { id, browser } = await dashboard.member(first, 'owner');
      const open = [await browser.connect(), await browser.connect({ 'x-account-id': first })];
      expect(open.map(({ acknowledged }) => acknowledged)).toEqual([true, true]);
      await dashboard.join(second, id, 'owner');
      await dashboard.leave(first, id);
      expect(await Promise.all(open.map(({ closed }) => closed))).toEqual([4403, 4403]);
      const other = await dashboard.member(first, 'viewer');
      const slots = [await other.browser.connect(), await other.browser.connect()];
      expect(
        slots.map(({ acknowledged }) => acknowledged),
        'the slots are free again',
      ).toEqual([true, true]);
      const beyond = await other.browser.connect();
      expect(await beyond.closed).toBe(4429);
      slots.forEach(({ socket }) => socket.terminate());
    });

    it('a connection does not move to an older account that the user joins', async ({ gateway, dashboard }) => {
      const [older, own] = [await dashboard.account('A'), await dashboard.account('B')];
      const { id, browser } = await dashboard.member(own, 'owner');
      await gateway.app.get(Database).query(`UPDATE accounts SET standing = 'blocked' WHERE id = $1`, [older]);
      const open = await browser.connect();
      expect(open.acknowledged).toBe(true);
      await dashboard.join(older, id, 'viewer');
      await until(async () => (await browser.get('/domains')).status === 403);
      await sleep(1_000);
      expect(open.socket.readyState).toBe(open.socket.OPEN);
      open.socket.terminate();
    });

    it('a user of none can log in, and sees no data', async ({ dashboard }) => {
      const { email } = await dashboard.person();
      const browser = await dashboard.loggedIn(email);
      expect((await browser.get('/app/api/session')).body.viewer).toMatchObject({ account: null, accounts: [] });
      expect((await browser.get('/app/api/sessions')).status).toBe(200);
      expect((await browser.get('/domains')).status).toBe(403);
      expect((await browser.graphql('{ domains { name } }')).status).toBe(403);
      expect((await browser.get('/app/api/members')).status).toBe(403);
    });
  });

  it('are not written to the request log', async ({ gateway, dashboard }) => {
    const { accountId, key } = await gateway.account();
    const { browser } = await dashboard.member(accountId, 'owner');
    await browser.get('/domains');
    await gateway.agent(key).get('/webhooks');
    const paths = async () =>
      (await gateway.agent(key).get('/logs')).body.data.map(({ endpoint }: { endpoint: string }) => endpoint);
    await until(async () => (await paths()).includes('/webhooks'), { everyMs: 400 });
    expect(await paths()).not.toContain('/domains');
  });
});
