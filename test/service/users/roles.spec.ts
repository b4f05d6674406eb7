import { Accounts } from '#libs/accounts';
import { newId, type Ability, type Role, type Scope, roleRights } from '#libs/contracts';
import { describe, expect } from 'vitest';
import { SESSION_CONTROLLERS } from '../../../apps/gateway/src/session/session.module.js';
import { API_OPERATIONS } from '../../support/rest/api-operations.js';
import type { Browser } from '../../support/browser/browser.js';
import { routesOf } from '../../support/rest/controller-routes.js';
import { until } from '../../support/timing/until.js';
import { dashboardTest as it } from '../../support/browser/dashboard-tests.js';

/** Operations of sessions, with what they need. */
const SESSION_ROUTES = SESSION_CONTROLLERS.flatMap(routesOf);
const ABILITY_ROUTES = SESSION_ROUTES.filter(({ access }) => access !== 'public' && access !== 'session');

describe('people with a role', () => {
  const browsers = {} as Record<Role, Browser>;

  it.beforeAll(async ({ dashboard }) => {
    const accountId = await dashboard.account();
    for (const role of roleRights.all) browsers[role] = (await dashboard.member(accountId, role)).browser;
  });

  /** Whether the role is refused; anything else says that access was granted. */
  async function isRefused(role: Role, method: string, path: string): Promise<boolean> {
    const concrete = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => name + newId('em').slice(2));
    const { status, body } = await browsers[role].send(method, concrete, method === 'GET' ? {} : { body: {} });
    expect(status, `${role} ${method} ${concrete}`).not.toBe(401);
    if (status === 403) expect(body).toMatchObject({ name: 'invalid_access', details: [{ code: 'role' }] });
    return status === 403;
  }

  /** What `states.read` opens to roles without the scope. */
  const STATES = new Set([
    'GET /emails',
    'GET /emails/{id}/attempts',
    'GET /emails/{id}/explain',
    'GET /queues',
    'GET /suppressions',
    'GET /suppressions/{email}',
  ]);
  const operations = API_OPERATIONS.filter(({ scope }) => scope !== null);

  it.each(roleRights.all)('use the operations of the API by their scopes: %s', async (role) => {
    expect(operations.length).toBeGreaterThan(50);
    const [refused, expected] = [[] as string[], [] as string[]];
    for (const { name, method, path, scope } of operations) {
      if (await isRefused(role, method, path)) refused.push(name);
      if (!roleRights.scopes[role].has(scope as Scope) && !STATES.has(name)) expected.push(name);
    }
    expect(refused).toEqual(expected);
    if (role === 'analyst') expect(operations.length - refused.length).toBeGreaterThan(STATES.size);
  });

  it.each(roleRights.all)('use those of the dashboard by their abilities: %s', async (role) => {
    const [refused, expected] = [[] as string[], [] as string[]];
    for (const { method, path, access } of ABILITY_ROUTES) {
      if (await isRefused(role, method, path)) refused.push(`${method} ${path}`);
      if (!roleRights.abilities[role].has(access as Ability)) expected.push(`${method} ${path}`);
    }
    // A malformed id is answered before the handler tells members from oneself.
    expect(refused).toEqual(expected);
  });

  it('API keys use none of them', async ({ gateway, dashboard }) => {
    const { key } = await gateway.account();
    const headers = { authorization: `Bearer ${key}`, origin: null };
    for (const { method, path, access } of SESSION_ROUTES.filter((route) => route.access !== 'public')) {
      const concrete = path.replaceAll(/\{\w+\}/g, newId('usr'));
      const { body } = await dashboard.browser().send(method, concrete, { headers });
      expect(body, `${method} ${path}, ${access}`).toMatchObject({ statusCode: 403, name: 'restricted_api_key' });
    }
  });

  it('nobody uses them without logging in', async ({ dashboard }) => {
    for (const { method, path } of SESSION_ROUTES.filter((route) => route.access !== 'public')) {
      const { status } = await dashboard.browser().send(method, path.replaceAll(/\{\w+\}/g, newId('usr')));
      expect(status, `${method} ${path}`).toBe(401);
    }
  });
});

describe('two tenants', () => {
  it('see nothing of each other', async ({ gateway, dashboard }) => {
    const [ours, theirs] = [await gateway.account(), await gateway.account()];
    const us = await dashboard.member(ours.accountId, 'owner');
    const them = await dashboard.member(theirs.accountId, 'owner');
    const made = await Promise.all([
      us.browser.post('/emails', { from: `a@${ours.domain}`, to: 'secret@example.net', subject: 'Secret', text: 'x' }),
      us.browser.post('/domains', { name: 'secret.example.com' }),
      us.browser.post('/webhooks', { url: 'http://127.0.0.1:1/secret', events: ['*'] }),
      us.browser.post('/suppressions', { email: 'secret@example.org' }),
      us.browser.post('/api-keys', { name: 'Secret' }),
      us.browser.post('/app/api/invitations', { email: 'secret@example.com', role: 'viewer' }),
    ]);
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201]);
    const ids = made.map(({ body }) => body.id as string);
    const folders = ['/emails', '/domains', '/webhooks', '/suppressions', '/api-keys', '/app/api/invitations'];
    const readable = (i: number) => folders[i] !== '/app/api/invitations';
    for (const [i, id] of ids.entries()) {
      if (readable(i)) expect((await us.browser.get(`${folders[i]}/${id}`)).status, folders[i]).toBe(200);
      if (readable(i)) expect((await them.browser.get(`${folders[i]}/${id}`)).status, folders[i]).toBe(404);
      if (folders[i] !== '/emails') expect((await them.browser.delete(`${folders[i]}/${id}`)).status).toBe(404);
    }
    expect((await them.browser.patch(`/app/api/members/${us.id}`, { role: 'viewer' })).status).toBe(404);
    expect((await them.browser.delete(`/app/api/members/${us.id}`)).status).toBe(404);
    const lists = API_OPERATIONS.filter(
      ({ method, path, scope }) => method === 'GET' && scope !== null && !path.includes('{'),
    );
    for (const path of [...lists.map((operation) => operation.path), '/app/api/members', '/app/api/invitations']) {
      const { text } = await them.browser.get(path);
      expect(text, path).not.toMatch(/secret/i);
      for (const id of [...ids, us.id, ours.accountId, ours.domainId]) expect(text, path).not.toContain(id);
    }
    them.browser.accountId = ours.accountId;
    for (const path of [...folders, '/app/api/members', '/account', '/events'])
      expect((await them.browser.get(path)).body, path).toMatchObject({ details: [{ code: 'not_a_member' }] });
    expect((await them.browser.graphql('{ domains { name } }')).status).toBe(403);
  });

  it('a blocked account refuses its people, and tells them why', async ({ gateway, dashboard }) => {
    const { accountId } = await gateway.account();
    const { browser } = await dashboard.member(accountId, 'owner');
    await gateway.app.get(Accounts).setStanding(accountId, 'blocked');
    const refused = await until(async () => {
      const answer = await browser.get('/domains');
      return answer.status === 403 ? answer : null;
    });
    expect(refused.body.message).toMatch(/blocked/);
    expect((await browser.get('/app/api/session')).body.viewer.account).toMatchObject({ standing: 'blocked' });
  });
});
