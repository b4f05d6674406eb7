import { FirstAccount } from '../../apps/gateway/src/first-account.js';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startGatewayApp, type GatewayApp } from '../support/fixtures/gateway-app.js';
import { TcpProxy } from '../support/proxies/tcp-proxy.js';
import { createTestDatabase, type OpenTestDatabase } from '../support/persistence/test-database.js';

const SLOW_MS = 4_000;

let db: OpenTestDatabase;
let front: TcpProxy;
let gateway: GatewayApp | undefined;

beforeEach(async () => {
  db = await createTestDatabase();
  front = await TcpProxy.start(db.url);
});
afterEach(async () => {
  await gateway?.stop();
  await front.close();
  await db.close();
});

const start = () => startGatewayApp({ DATABASE_URL: front.url, DATABASE_POOL_WAIT: '300ms', BOOTSTRAP_API_KEY: '' });

/** The database answers nothing for a while, as on a machine that is busy with something else. */
async function slowly<T>(work: () => Promise<T>): Promise<T> {
  front.stall();
  setTimeout(() => front.resume(), SLOW_MS);
  return work();
}

async function disconnectAll(): Promise<void> {
  const client = new pg.Client(db.url);
  await client.connect();
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await client.end();
}

it('a start waits for a database that is slow to accept connections', async () => {
  gateway = await slowly(start);
  expect((await gateway.agent().get('/readyz')).status).toBe(200);
});

it('the first key is made however long the database takes', async () => {
  gateway = await start();
  const { app } = gateway;
  await disconnectAll();
  const key = await slowly(() => app.get(FirstAccount).makeKey());
  expect(key).toMatch(/^pl_live_/);
  expect((await gateway.agent(key).get('/domains')).status).toBe(200);
});
