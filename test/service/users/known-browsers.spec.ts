import { Logins } from '#libs/users';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../../support/browser/browser.js';
import { DashboardFixture, PASSWORD } from '../../support/browser/dashboard-fixture.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';

/** Failures with one address until it is limited, and failures of one network within a minute. */
const [PER_EMAIL, PER_NETWORK] = [200, 10];

describe('limits of logins', () => {
  let gateway: GatewayApp;
  let dashboard: DashboardFixture;

  beforeAll(async () => {
    gateway = await startGatewayApp({ TRUST_PROXY: '127.0.0.1' });
    dashboard = new DashboardFixture(gateway);
  });
  afterAll(() => gateway.stop());

  const logIn = async (browser: Browser, email: string, password = PASSWORD) =>
    (await browser.post('/app/api/login', { email, password })).status;
  const at = (address: string | undefined) => Object.assign(dashboard.browser(), { address });
  const logOut = (browser: Browser) => browser.post('/app/api/logout');
  /** Fails from as many networks as it takes; without the hash of a password, which takes long on purpose. */
  async function attack(email: string): Promise<void> {
    const { limits } = gateway.app.get(Logins);
    for (let i = 0; i < PER_EMAIL; i += 1)
      await limits.guess({ address: `198.51.${i >> 8}.${i & 255}`, known: null, email }, () => Promise.resolve(null));
  }

  it('keep an attacker with many networks out, and let in a browser that has logged in before', async () => {
    const { email } = await dashboard.person(await dashboard.account());
    const known = dashboard.browser();
    expect(await logIn(known, email)).toBe(200);
    await logOut(known);
    await attack(email);
    expect(await logIn(dashboard.browser(), email), 'an unknown browser').toBe(429);
    expect(await logIn(known, email)).toBe(200);
    const stranger = await dashboard.person(await dashboard.account());
    expect(await logIn(dashboard.browser(), stranger.email), 'another address').toBe(200);
  });

  it('let a known browser in whose network is blocked by others', async () => {
    const { email } = await dashboard.person(await dashboard.account());
    const known = dashboard.browser();
    expect(await logIn(known, email)).toBe(200);
    await logOut(known);
    for (let i = 0; i < PER_NETWORK; i += 1) await logIn(at(known.address), 'nobody@example.com', 'wrong password');
    expect(await logIn(at(known.address), email)).toBe(429);
    expect(await logIn(known, email)).toBe(200);
  });

  it('count failures of a known browser by itself', async () => {
    const { email } = await dashboard.person(await dashboard.account());
    const known = dashboard.browser();
    await logIn(known, email);
    await logOut(known);
    const guesses = Array.from({ length: 3 * PER_NETWORK }, () => logIn(known, email, 'wrong password'));
    const statuses = await Promise.all(guesses);
    expect(statuses.filter((status) => status === 401)).toHaveLength(PER_NETWORK);
    expect(await logIn(known, email)).toBe(429);
    expect(await logIn(at(known.address), email), 'its network is not blocked').toBe(200);
  });

  it('know a browser only for the users who logged in there, of whom there may be several', async () => {
    const [one, two, other] = [
      await dashboard.person(await dashboard.account()),
      await dashboard.person(await dashboard.account()),
      await dashboard.person(await dashboard.account()),
    ];
    const browser = dashboard.browser();
    for (const { email } of [one, two]) {
      expect(await logIn(browser, email)).toBe(200);
      await logOut(browser);
    }
    for (const { email } of [one, two, other]) await attack(email);
    expect(await logIn(browser, one.email)).toBe(200);
    expect(await logIn(browser, two.email)).toBe(200);
    expect(await logIn(browser, other.email)).toBe(429);
  });

  it('do not count logins that succeed', async () => {
    const { email } = await dashboard.person(await dashboard.account());
    const browser = dashboard.browser();
    const statuses = new Set<number>();
    for (let i = 0; i <= PER_NETWORK; i += 1) statuses.add(await logIn(browser, email));
    expect(statuses).toEqual(new Set([200]));
    const { limits } = gateway.app.get(Logins);
    const pass = () => limits.guess({ address: '198.51.100.1', known: null, email }, () => Promise.resolve('user'));
    for (let i = 0; i <= PER_EMAIL; i += 1) await expect(pass()).resolves.toBe('user');
  });

  it('let a person who is logged in change the password during an attack', async () => {
    const { email, browser } = await dashboard.member(await dashboard.account(), 'owner');
    browser.cookies.delete('browser');
    await attack(email);
    const change = { current_password: PASSWORD, password: 'another good password' };
    expect((await browser.post('/app/api/password', change)).status).toBe(204);
  });

  it('keep the cookie of a known browser from scripts, other sites and forgery', async () => {
    const { email } = await dashboard.person(await dashboard.account());
    const answer = await dashboard.browser().post('/app/api/login', { email, password: PASSWORD });
    const cookies = [answer.headers['set-cookie']].flat().map(String);
    expect(cookies.find((line) => line.startsWith('browser='))).toMatch(
      /^browser=[\w-]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    await attack(email);
    const forged = dashboard.browser();
    forged.cookies.set('browser', Buffer.from(JSON.stringify({ id: 'a', userIds: ['usr_1'] })).toString('base64url'));
    expect(await logIn(forged, email)).toBe(429);
  });
});
