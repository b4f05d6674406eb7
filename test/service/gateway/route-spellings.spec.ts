import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/browser/browser.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';

// The router decodes letters and ends a path at `#`; before it, slashes are collapsed and `/v1` is removed.
const SPELLINGS: [spelling: string, change: (path: string) => string][] = [
  ['as it is', (path) => path],
  ['an encoded letter in the first segment', (path) => `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`],
  ['all letters encoded', (path) => path.replaceAll(/\w/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)],
  ['doubled slashes', (path) => path.replaceAll('/', '//')],
  ['the prefix /v1', (path) => `/v1${path}`],
  ['a fragment', (path) => `${path}#x`],
  ['a query', (path) => `${path}?x=1`],
];
/** Spellings of other paths: whatever they are, they are not the route. */
const OTHERS: [spelling: string, change: (path: string) => string][] = [
  ['capitals', (path) => path.toUpperCase()],
  ['a final slash', (path) => `${path}/`],
  ['an encoded slash', (path) => path.replace(/\/(?=[^/]*$)/, '%2f')],
  ['dots', (path) => `/x/..${path}`],
];

let gateway: GatewayApp;
let browser: Browser;
beforeAll(async () => {
  gateway = await startGatewayApp();
  browser = new Browser(gateway.port);
});
afterAll(() => gateway.stop());

describe('the rules of a route apply to every spelling of its path', () => {
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const body = { email: 'a@b.example', password: 'wrong', token: 'wrong', current_password: 'wrong' };
  const login = ['login', 'logout', 'password-reset', 'sign-up', 'invitations/lookup', 'email/confirm'];

  it.each(SPELLINGS)('public routes of the dashboard refuse other sites: %s', async (_spelling, change) => {
    for (const name of login) {
      const answer = await browser.send('POST', change(`/app/api/${name}`), { headers: foreign, body });
      expect(answer.body, name).toMatchObject({ statusCode: 403, details: [{ code: 'wrong_origin' }] });
    }
  });

  it.each(OTHERS)('what is not the route is not found: %s', async (_spelling, change) => {
    const answer = await browser.send('POST', change('/app/api/login'), { headers: foreign, body });
    expect([401, 404]).toContain(answer.status);
    expect(answer.body).not.toMatchObject({ message: expect.stringContaining('password') as string });
  });

  it.each(SPELLINGS)('a login link is one: %s', async (_spelling, change) => {
    const path = change('/app/login');
    const link = path.includes('?') ? `${path}&link=x` : path.replace(/(?=#|$)/, '?link=x');
    const answer = await browser.navigate(link);
    expect([answer.status, answer.headers['location']]).toEqual([302, '/app/login?error=link_expired']);
  });

  it.each(SPELLINGS)('GraphiQL is served: %s', async (_spelling, change) => {
    const answer = await browser.get(change('/graphql'), { headers: { accept: 'text/html' } });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, expect.stringContaining('text/html')]);
  });

  it.each(SPELLINGS)('clients of Resend receive its statuses: %s', async (_spelling, change) => {
    const headers = { authorization: 'Bearer wrong-wrong-wrong-wrong' };
    expect((await browser.post(change('/resend/emails'), {}, { headers })).status).toBe(403);
  });

  it.each(SPELLINGS)('another method is answered with 405: %s', async (_spelling, change) => {
    const { key } = await gateway.account();
    const headers = { authorization: `Bearer ${key}` };
    const answer = await browser.send('DELETE', change('/emails/batch'), { headers });
    expect([answer.status, answer.headers['allow']]).toEqual([405, expect.stringContaining('POST')]);
  });

  it.each(SPELLINGS)('files of the dashboard are found: %s', async (_spelling, change) => {
    const [asset] = /assets\/[\w.-]+\.js/.exec((await browser.get('/app/')).text) ?? [];
    const answer = await browser.get(change(`/app/${asset}`));
    expect([answer.status, answer.headers['content-type']]).toEqual([200, expect.stringContaining('javascript')]);
  });

  it.each(SPELLINGS)('a tracking host serves tracking links only: %s', async (_spelling, change) => {
    const headers = { host: 'track.example.com', accept: 'text/html' };
    for (const path of ['/app/', '/graphql', '/docs', '/app/api/session'])
      expect((await browser.get(change(path), { headers })).body, path).toMatchObject({ statusCode: 404 });
    const unknown = await browser.get(change('/t/c/token'), { headers });
    expect([unknown.status, unknown.headers['content-type']]).toEqual([404, expect.stringContaining('text/html')]);
  });
});
