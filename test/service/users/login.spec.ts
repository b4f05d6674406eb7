import { FirstOwner } from '#libs/users';
import { describe, expect } from 'vitest';
import { PASSWORD } from '../../support/browser/dashboard-fixture.js';
import { dashboardTest } from '../../support/browser/dashboard-tests.js';

const ADMIN = 'Admin@Example.com';

const it = dashboardTest.extend(
  'settings',
  { scope: 'file' },
  { TRUST_PROXY: '127.0.0.1', BOOTSTRAP_ADMIN_EMAIL: ADMIN, BOOTSTRAP_ADMIN_PASSWORD: PASSWORD },
);

describe('login to the dashboard', () => {
  it('works at once for BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD, as owner and operator', async ({
    dashboard,
  }) => {
    const browser = dashboard.browser();
    expect((await browser.get('/app/api/session')).body).toEqual({
      viewer: null,
      login: { password: true, sign_up: false, oidc: false },
    });
    const answer = await browser.post('/app/api/login', { email: 'admin@example.COM ', password: PASSWORD });
    expect(answer.status).toBe(200);
    expect(answer.body.viewer).toMatchObject({
      user: { email: 'admin@example.com', has_password: true },
      account: { name: 'First account', role: 'owner', operator: true, standing: 'active' },
    });
    expect((await browser.get('/app/api/session')).body).toEqual(answer.body);
    expect((await browser.get('/domains')).body[0].name).toBe('sandbox.postloft.test');
    expect((await browser.graphql('{ domains { name } }')).body.data.domains).not.toEqual([]);
    expect((await browser.post('/app/api/logout')).status).toBe(204);
    expect([...browser.cookies.keys()]).toEqual(['browser']);
    expect((await browser.get('/domains')).status).toBe(401);
  });

  it('creates one first user, whatever else starts', async ({ gateway }) => {
    await Promise.all([gateway.app.get(FirstOwner).ensure(), gateway.app.get(FirstOwner).ensure()]);
    expect(await gateway.app.get(FirstOwner).firstLoginLink(), 'the user has a password').toBeNull();
    expect(await gateway.app.get(FirstOwner).loginLink('nobody@example.com')).toBeNull();
  });

  it('sets a cookie that scripts do not read, by the kind of connection', async ({ dashboard }) => {
    const { email } = await dashboard.person(await dashboard.account());
    const cookieOf = async (headers: Record<string, string>) => {
      const answer = await dashboard.browser().post('/app/api/login', { email, password: PASSWORD }, { headers });
      const [session] = [answer.headers['set-cookie']].flat();
      return answer.status === 200 ? String(session).replace(/=[\w-]{43};/, '=…;') : answer.body;
    };
    const common = 'Max-Age=2592000; Path=/; HttpOnly';
    expect(await cookieOf({})).toBe(`session=…; ${common}; SameSite=Lax`);
    expect(await cookieOf({ host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000' })).toBe(
      `session=…; ${common}; SameSite=Lax`,
    );
    const proxied = { host: 'mail.example.com', origin: 'https://mail.example.com', 'x-forwarded-proto': 'https' };
    expect(await cookieOf(proxied)).toBe(`__Host-session=…; ${common}; Secure; SameSite=Lax`);
    const plain = { host: 'mail.example.com', origin: 'http://mail.example.com' };
    expect(await cookieOf(plain)).toMatchObject({
      statusCode: 403,
      details: [{ code: 'insecure_origin' }],
      message: expect.stringMatching(/^The dashboard needs HTTPS: .*localhost\)\.$/),
    });
  });

  it('takes a cookie only by the name of its connection', async ({ dashboard }) => {
    const { browser } = await dashboard.member(await dashboard.account(), 'viewer');
    const token = browser.cookies.get('session');
    const asked = async (cookie: string, headers: Record<string, string> = {}) =>
      (await dashboard.browser().get('/domains', { headers: { cookie, ...headers } })).status;
    expect(await asked(`session=${token}`)).toBe(200);
    expect(await asked(`__Host-session=${token}`)).toBe(401);
    const https = { host: 'mail.example.com', 'x-forwarded-proto': 'https' };
    expect(await asked(`session=${token}`, https)).toBe(401);
    expect(await asked(`__Host-session=${token}`, https)).toBe(200);
    expect(await asked(`session=${token}`, { host: 'mail.example.com' })).toBe(401);
  });

  it('answers a wrong password and an unknown address alike, and limits both per network', async ({ dashboard }) => {
    const { email } = await dashboard.person(await dashboard.account());
    const browser = dashboard.browser();
    const attempt = async (who: string, password: string, by = browser) => {
      const { status, body, headers } = await by.post('/app/api/login', { email: who, password });
      return { status, retryAfter: headers['retry-after'], error: { ...body, request_id: '' } };
    };
    const known = await attempt(email, 'wrong password');
    expect(known).toMatchObject({ status: 401, error: { details: [{ code: 'wrong_credentials' }] } });
    expect(await attempt('nobody@example.com', 'wrong password')).toEqual(known);
    for (let i = 2; i < 10; i += 1) expect((await attempt(email, `wrong ${i}`)).status).toBe(401);
    expect(await attempt(email, PASSWORD)).toMatchObject({ status: 429, retryAfter: expect.stringMatching(/^\d+$/) });
    expect((await attempt(email, PASSWORD, dashboard.browser())).status, 'from another network').toBe(200);
  });

  it('reveals no more guesses than the limit when they come at once', async ({ dashboard }) => {
    const { email } = await dashboard.person(await dashboard.account());
    const browser = dashboard.browser();
    const attempts = Array.from({ length: 30 }, () =>
      browser.post('/app/api/login', { email, password: 'wrong password' }),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });

  it.for([
    [{}, ['email', 'password']],
    [{ email: 7, password: 'x' }, ['email']],
    [{ email: 'a@example.com', password: 'x'.repeat(1001) }, ['password']],
  ])('names the fields of %j', async ([body, fields], { dashboard }) => {
    const answer = await dashboard.browser().post('/app/api/login', body);
    expect(answer.status).toBe(400);
    expect(answer.body.details.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  describe('by a link', () => {
    it('works once, of two at the same time for one', async ({ gateway, dashboard }) => {
      const { email } = await dashboard.person(await dashboard.account());
      const link = await gateway.app.get(FirstOwner).loginLink(email);
      const open = async () => (await dashboard.browser().navigate(link?.path ?? '')).headers;
      const answers = await Promise.all([open(), open(), open()]);
      expect(answers.map(({ location }) => String(location)).toSorted()).toEqual([
        '/app/',
        '/app/login?error=link_expired',
        '/app/login?error=link_expired',
      ]);
      expect(answers.filter((headers) => headers['set-cookie'] !== undefined)).toHaveLength(1);
      expect((await open()).location).toBe('/app/login?error=link_expired');
    });

    it('ends the session that the browser had', async ({ gateway, dashboard }) => {
      const { browser, email } = await dashboard.member(await dashboard.account(), 'viewer');
      const before = browser.cookies.get('session');
      const link = await gateway.app.get(FirstOwner).loginLink(email);
      await browser.navigate(link?.path ?? '');
      expect(browser.cookies.get('session')).not.toBe(before);
      const old = await dashboard.browser().get('/domains', { headers: { cookie: `session=${before}` } });
      expect(old.status).toBe(401);
    });

    it('is refused over plain HTTP from elsewhere, and limited', async ({ gateway, dashboard }) => {
      const { email } = await dashboard.person(await dashboard.account());
      const link = await gateway.app.get(FirstOwner).loginLink(email);
      const from = async (host: string | undefined, path: string) =>
        (await dashboard.browser(host).navigate(path)).headers['location'];
      expect(await from('mail.example.com', link?.path ?? '')).toBe('/app/login?error=insecure_origin');
      const browser = dashboard.browser();
      for (let i = 0; i < 10; i += 1)
        expect((await browser.navigate(`/app/login?link=guess${i}`)).headers['location']).toBe(
          '/app/login?error=link_expired',
        );
      expect((await browser.navigate('/app/login?link=guess')).headers['location']).toBe(
        '/app/login?error=rate_limit_exceeded',
      );
      expect(await from(undefined, link?.path ?? ''), 'the attempts did not use it').toBe('/app/');
    });
  });
});
