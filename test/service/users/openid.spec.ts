import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../../support/browser/browser.js';
import { DashboardFixture } from '../../support/browser/dashboard-fixture.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { CLIENT, OpenidProvider } from './openid-provider.js';

const HOST = 'dashboard.localhost';

describe('login by an OpenID provider', () => {
  let provider: OpenidProvider;
  let gateway: GatewayApp;
  let dashboard: DashboardFixture;

  const start = (env: Record<string, string> = {}) =>
    startGatewayApp({
      TRUST_PROXY: '127.0.0.1',
      PUBLIC_URL: `http://${HOST}`,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      ...env,
    });

  beforeAll(async () => {
    provider = await new OpenidProvider().start();
    gateway = await start();
    dashboard = new DashboardFixture(gateway);
  });
  afterEach(() => Object.assign(provider, { forged: {}, emailInUserinfo: false }));
  afterAll(async () => {
    await gateway.stop();
    await provider.stop();
  });

  const followed = { 'sec-fetch-site': 'cross-site' };

  /** Goes to the provider and back; where the browser ends up. */
  async function logIn(browser: Browser, query = ''): Promise<string> {
    const away = await browser.get(`/app/api/oidc/login${query}`);
    const back = await provider.visit(String(away.headers['location']));
    return String((await browser.get(back, { headers: followed })).headers['location']);
  }
  const browser = () => dashboard.browser(HOST);
  const emailOf = async (by: Browser) => (await by.get('/app/api/session')).body.viewer?.user.email;

  it('is offered, and links a user by a verified address, later by the identity', async () => {
    const { email } = await dashboard.person(await dashboard.account());
    provider.person = { sub: 'one', email: email.toUpperCase(), email_verified: true };
    const page = browser();
    expect((await page.get('/app/api/session')).body.login).toEqual({ password: true, sign_up: false, oidc: true });
    expect(await logIn(page)).toBe('/app/');
    expect(await emailOf(page)).toBe(email);
    expect(page.cookies.has('oidc')).toBe(false);
    provider.person = { sub: 'one' };
    const later = browser();
    expect(await logIn(later)).toBe('/app/');
    expect(await emailOf(later)).toBe(email);
  });

  it('reads the address from the userinfo endpoint if the token has none', async () => {
    const { email } = await dashboard.person(await dashboard.account());
    provider.person = { sub: 'two', email, email_verified: true };
    provider.emailInUserinfo = true;
    expect(await logIn(browser())).toBe('/app/');
  });

  it('informs a user once about an identity that was linked, and no new user', async () => {
    const { email } = await dashboard.person(await dashboard.account());
    provider.person = { sub: 'linked', email, email_verified: true };
    provider.emailInUserinfo = false;
    for (let i = 0; i < 2; i += 1) expect(await logIn(browser())).toBe('/app/');
    await dashboard.tokenSentTo(email);
    expect(await dashboard.sentTo(email)).toEqual([expect.stringContaining('Subject: A single sign-on was linked')]);
  });

  it('refuses an address that is not verified, or unknown', async () => {
    const { email } = await dashboard.person(await dashboard.account());
    for (const email_verified of [false, undefined]) {
      provider.person = { sub: 'three', email, email_verified };
      expect(await logIn(browser())).toBe('/app/login?error=oidc_email_unverified');
    }
    provider.person = { sub: 'four', email: 'stranger@example.com', email_verified: true };
    const page = browser();
    expect(await logIn(page)).toBe('/app/login?error=oidc_no_account');
    expect(await emailOf(page)).toBeUndefined();
  });

  it('accepts an invitation', async () => {
    const accountId = await dashboard.account();
    const { browser: admin } = await dashboard.member(accountId, 'admin');
    await admin.post('/app/api/invitations', { email: 'invited@example.com', role: 'developer' });
    const token = await dashboard.tokenSentTo('invited@example.com');
    provider.person = { sub: 'other', email: 'another@example.com', email_verified: true };
    expect(await logIn(browser(), `?invitation=${token}`)).toBe('/app/login?error=oidc_no_account');
    provider.person = { sub: 'five', email: 'invited@example.com', email_verified: true, name: 'In Vited' };
    const page = browser();
    expect(await logIn(page, `?invitation=${token}`)).toBe('/app/');
    expect((await page.get('/app/api/session')).body.viewer).toMatchObject({
      user: { email: 'invited@example.com', name: 'In Vited', has_password: false },
      account: { id: accountId, role: 'developer' },
    });
  });

  it.each([
    ['a token of another issuer', { iss: 'https://evil.example' }],
    ['a token for another client', { aud: 'other' }],
    ['a token of another login', { nonce: 'other' }],
    ['a token that has expired', { exp: 1 }],
  ])('refuses %s', async (_what, forged) => {
    const { email } = await dashboard.person(await dashboard.account());
    provider.person = { sub: 'six', email, email_verified: true };
    provider.forged = forged;
    const page = browser();
    expect(await logIn(page)).toBe('/app/login?error=oidc_failed');
    expect(await emailOf(page)).toBeUndefined();
  });

  it('refuses the answer to the login of another browser, and a second use', async () => {
    const { email } = await dashboard.person(await dashboard.account());
    provider.person = { sub: 'seven', email, email_verified: true };
    const [attacker, victim] = [browser(), browser()];
    const away = await attacker.get('/app/api/oidc/login');
    const back = await provider.visit(String(away.headers['location']));
    const failed = '/app/login?error=oidc_failed';
    expect((await victim.get(back, { headers: followed })).headers['location']).toBe(failed);
    await victim.get('/app/api/oidc/login');
    expect((await victim.get(back, { headers: followed })).headers['location']).toBe(failed);
    const kept = attacker.cookies.get('oidc') ?? '';
    expect((await attacker.get(back, { headers: followed })).headers['location']).toBe('/app/');
    attacker.cookies.set('oidc', kept);
    expect((await attacker.get(back, { headers: followed })).headers['location']).toBe(failed);
    attacker.cookies.set('oidc', `${kept.slice(0, -2)}xx`);
    expect((await attacker.get(back, { headers: followed })).headers['location']).toBe(failed);
  });

  it('continues at PUBLIC_URL, to which the provider comes back', async () => {
    const answer = await dashboard.browser('localhost:3000').get('/app/api/oidc/login?invitation=x');
    expect([answer.status, answer.headers['location']]).toEqual([
      302,
      `http://${HOST}/app/api/oidc/login?invitation=x`,
    ]);
  });

  it('opens an account with SIGNUP=on, and does not exist without the settings', async () => {
    const open = await start({ SIGNUP: 'on', DATABASE_URL: gateway.databaseUrl });
    provider.person = { sub: 'eight', email: 'new@example.com', email_verified: true };
    const page = new DashboardFixture(open).browser(HOST);
    expect(await logIn(page)).toBe('/app/');
    expect((await page.get('/app/api/session')).body.viewer.accounts).toMatchObject([{ role: 'owner', plan: 'free' }]);
    await open.stop();
    const without = await startGatewayApp({ DATABASE_URL: gateway.databaseUrl });
    expect((await new DashboardFixture(without).browser().get('/app/api/oidc/login')).status).toBe(404);
    await without.stop();
  });

  it('says so when the provider is away', async () => {
    const lost = await start({ OIDC_ISSUER: 'http://127.0.0.1:1/realm', DATABASE_URL: gateway.databaseUrl });
    const answer = await new DashboardFixture(lost).browser(HOST).get('/app/api/oidc/login');
    expect(answer.headers['location']).toBe('/app/login?error=oidc_failed');
    await lost.stop();
  });
});
