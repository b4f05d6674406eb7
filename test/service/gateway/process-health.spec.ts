import { VERSION } from '../../support/services/program.js';
import { Accounts } from '#libs/accounts';
import { Health } from '#libs/kernel';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Browser } from '../../support/browser/browser.js';
import { DashboardFixture } from '../../support/browser/dashboard-fixture.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';
import { TcpProxy } from '../../support/proxies/tcp-proxy.js';
import { until } from '../../support/timing/until.js';

interface HealthView {
  ready: boolean;
  parts: { part: string; reason: string | null; since: string | null }[];
  process: { version: string; node_version: string } | null;
}

let db: OpenTestDatabase;
let front: TcpProxy;
let gateway: GatewayApp;
let dashboard: DashboardFixture;
let operator: Browser;

beforeAll(async () => {
  db = await createTestDatabase();
  front = await TcpProxy.start(db.url);
  gateway = await startGatewayApp({ DATABASE_URL: front.url, TRUST_PROXY: '127.0.0.1' });
  dashboard = new DashboardFixture(gateway);
  const first = (await gateway.app.get(Accounts).first())?.id ?? '';
  operator = (await dashboard.member(first, 'owner')).browser;
});
afterAll(async () => {
  front?.resume();
  await gateway?.stop();
  await front?.close();
  await db?.close();
});

const healthOf = async (browser: Browser) => {
  const { status, body } = await browser.get('/app/api/health');
  expect(status).toBe(200);
  return body as HealthView;
};
const isReady = async () => Object.keys(await gateway.app.get(Health).failures()).length === 0;

it('tells strangers what /readyz tells them, and operators more', async () => {
  await until(isReady, { what: 'the gateway to be ready' });
  const other = await dashboard.member(await dashboard.account(), 'owner');
  for (const browser of [dashboard.browser(), other.browser])
    expect(await healthOf(browser)).toEqual({ object: 'health', ready: true, parts: [], process: null });
  const { ready, parts, process: own } = await healthOf(operator);
  expect(ready).toBe(true);
  expect(parts).toContainEqual({ part: 'database', reason: null, since: null });
  expect(own).toMatchObject({ version: VERSION, node_version: process.version });
});

it('answers while the database hangs, knows the operator all the same, and since when it hangs', async () => {
  const ended = (await dashboard.member((await gateway.app.get(Accounts).first())?.id ?? '', 'owner')).browser;
  await healthOf(ended);
  await ended.post('/app/api/logout');
  await healthOf(operator);
  front.stall();
  const stalledAt = Date.now();
  const hung = await healthOf(operator);
  expect(hung.ready).toBe(false);
  const database = hung.parts.find(({ part }) => part === 'database');
  expect(database?.reason).toMatch(/does not answer/);
  expect(Date.parse(database?.since ?? '')).toBeGreaterThanOrEqual(stalledAt);
  expect(hung.process).toMatchObject({ version: VERSION });
  for (const browser of [dashboard.browser(), ended]) {
    const { ready, parts, process: own } = await healthOf(browser);
    expect({ ready, own }).toEqual({ ready: false, own: null });
    expect(parts.every(({ reason }) => reason !== null)).toBe(true);
  }
  front.resume();
  await until(async () => (await healthOf(operator)).ready, { what: 'the database to be noticed' });
});
