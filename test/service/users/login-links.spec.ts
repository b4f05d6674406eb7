import { FirstOwner } from '#libs/users';
import { describe, expect } from 'vitest';
import { dashboardTest } from '../../support/browser/dashboard-tests.js';

const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const ATTEMPTS = 10;

describe('a login link', () => {
  const it = dashboardTest.extend(
    'newLink',
    ({ gateway, dashboard }) =>
      async function newLink(): Promise<string> {
        const { email } = await dashboard.person(await dashboard.account());
        return (await gateway.app.get(FirstOwner).loginLink(email))?.path ?? '';
      },
  );

  it.for<[string, string, Record<string, string | null>]>([
    ['a scanner or chat program without headers of browsers', 'GET', { 'sec-fetch-site': null }],
    ['a HEAD request', 'HEAD', NAVIGATION],
    ['an image of a page', 'GET', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    ['a frame of a page', 'GET', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
    ['a script', 'GET', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    ['a prefetch', 'GET', { ...NAVIGATION, 'sec-purpose': 'prefetch' }],
    ['a prerendering', 'GET', { ...NAVIGATION, 'sec-purpose': 'prefetch;prerender' }],
    ['an older prefetch', 'GET', { ...NAVIGATION, purpose: 'prefetch' }],
    ['a preview', 'GET', { ...NAVIGATION, 'x-purpose': 'preview' }],
    ['a prefetch of Firefox', 'GET', { ...NAVIGATION, 'x-moz': 'prefetch' }],
  ])('is neither used nor counted by %s', async ([_name, method, headers], { dashboard, newLink }) => {
    const link = await newLink();
    const browser = dashboard.browser();
    for (let i = 0; i <= ATTEMPTS; i += 1) {
      const answer = await browser.send(method, i === 0 ? link : `/app/login?link=guess${i}`, { headers });
      expect(answer.headers['location']).toBeUndefined();
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    const opened = await browser.get(link, { headers: NAVIGATION });
    expect([opened.status, opened.headers['location']]).toEqual([302, '/app/']);
  });

  it('works by the button of the page that others get, once', async ({ dashboard, newLink }) => {
    const link = await newLink();
    const token = new URL(link, 'http://localhost').searchParams.get('link');
    const browser = dashboard.browser();
    const open = () => browser.post('/app/api/login/link', { token });
    expect((await open()).body.viewer.account.role).toBe('owner');
    expect((await open()).body).toMatchObject({ statusCode: 400, details: [{ code: 'link_expired' }] });
    const other = dashboard.browser();
    const foreign = { headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } };
    expect((await other.post('/app/api/login/link', { token: 'x' }, foreign)).status).toBe(403);
  });
});
