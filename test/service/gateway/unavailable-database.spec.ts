import { Health, Log } from '#libs/kernel';
import { TrackingLinks } from '#libs/tracking';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { TcpProxy } from '../../support/proxies/tcp-proxy.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';
import { until } from '../../support/timing/until.js';

/** Ends a test that would otherwise wait for the client's own limit. */
const HANG_MS = 20_000;
const READ_ONLY = 'the database accepts no writes';

describe('while the database', () => {
  let db: OpenTestDatabase;
  let front: TcpProxy;
  let gateway: GatewayApp;
  let key: string;
  let from: string;

  beforeAll(async () => {
    db = await createTestDatabase();
    front = await TcpProxy.start(db.url);
    gateway = await startGatewayApp({ DATABASE_URL: front.url });
    const account = await gateway.account();
    [key, from] = [account.key, `a@${account.domain}`];
    await until(async () => (await readiness()) === null, { what: 'the gateway to be ready' });
  });
  afterEach(async () => {
    front.resume();
    await onServer(`ALTER DATABASE ${databaseName()} RESET default_transaction_read_only`);
    await db.database.query('DROP FUNCTION IF EXISTS fail CASCADE');
    await until(async () => (await send()).status === 201, { what: 'mail to be accepted again' });
    await until(async () => (await readiness()) !== READ_ONLY, { what: 'the end of the failure to be noticed' });
  });
  afterAll(async () => {
    await gateway?.stop();
    await front?.close();
    await db?.close();
  });

  const databaseName = () => new URL(db.url).pathname.slice(1);
  const readiness = async () => {
    const failures = await gateway.app.get(Health).failures();
    return failures['database'] ?? failures['storage'] ?? null;
  };
  const metrics = async () => (await gateway.agent(key).get('/metrics')).text;
  const send = () =>
    gateway
      .agent(key)
      .post('/emails')
      .send({ from, to: 'x@example.com', subject: 's', text: 't' })
      .timeout(HANG_MS)
      .then(({ status, body, headers }) => ({ status, body: body as { error: string }, headers }));

  /** Not through the front, and not in the database itself, which may be read-only. */
  async function onServer(statement: string): Promise<void> {
    const url = new URL(db.url);
    url.pathname = '/postgres';
    const client = new pg.Client(url.href);
    await client.connect();
    await client.query(statement);
    await client.end();
  }

  const disconnectAll = () =>
    onServer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${databaseName()}' AND pid <> pg_backend_pid()`,
    );

  it('does not answer, requests in progress and new ones are answered 503, and the service is not ready', async () => {
    front.stall();
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    for (const { status, body, headers } of answers) {
      expect(status).toBe(503);
      expect(body.error).toBe('service_unavailable');
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(await readiness()).toBe('the database does not answer');
    expect(await metrics()).toContain('postloft_database_available 0');
    // Each at once now, without waiting for the server again.
    const lists = await Promise.all(['/emails', '/domains', '/webhooks'].map((path) => gateway.agent(key).get(path)));
    expect(lists.map(({ status }) => status)).toEqual([503, 503, 503]);
  });

  it('does not answer, tracking links are answered all the same, and visits are recorded afterwards', async () => {
    const asked = { from, to: 'x@example.com', subject: 's', html: '<p>h</p>', tracking: { opens: true } };
    const { body } = await gateway.agent(key).post('/emails').send(asked).expect(201);
    const recipient = { emailId: (body as { id: string }).id, ordinal: 0 };
    const links = gateway.app.get(TrackingLinks, { strict: false });
    const [pixel, target] = [links.openUrl('', recipient), 'https://shop.example/'];
    const click = new URL(links.clickUrl('http://127.0.0.1', { ...recipient, index: 0, target }) ?? '').pathname;
    front.stall();
    expect((await gateway.agent(key).get(pixel).timeout(HANG_MS)).status).toBe(200);
    const clicked = await gateway.agent(key).get(click).redirects(0).timeout(HANG_MS);
    expect([clicked.status, clicked.headers['location']]).toEqual([302, target]);
    front.resume();
    const recorded = ['open', 'click'].map((kind) => `{kind="${kind}",outcome="recorded"} 1`);
    await until(async () => {
      const text = await metrics();
      return recorded.every((line) => text.includes(`postloft_tracking_visits_total${line}`));
    });
  });

  it('accepts no writes, mail is answered 503, reading goes on, and the service is not ready', async () => {
    await onServer(`ALTER DATABASE ${databaseName()} SET default_transaction_read_only = on`);
    await disconnectAll();
    await until(async () => (await readiness()) === READ_ONLY, { what: 'it to be noticed' });
    const { status, body } = await send();
    expect({ status, error: body.error }).toEqual({ status: 503, error: 'service_unavailable' });
    const others = await Promise.all([
      gateway
        .agent(key)
        .post('/webhooks')
        .send({ url: 'https://example.org/x', events: ['*'] }),
      gateway.agent(key).post('/suppressions').send({ email: 'x@example.org' }),
      gateway.agent(key).post('/domains').send({ name: 'other.example.org' }),
    ]);
    expect(others.map((answer) => answer.status)).toEqual([503, 503, 503]);
    expect((await gateway.agent(key).get('/emails')).status).toBe(200);
    expect(await metrics()).toMatch(/postloft_database_storage_errors_total\{code="25006"\} [1-9]/);
    await onServer(`ALTER DATABASE ${databaseName()} RESET default_transaction_read_only`);
    await disconnectAll();
  });

  it.each([
    ['53100', 'could not extend file "base/1/2": No space left on device'],
    ['58030', 'could not read block 1 in file "base/1/2": Input/output error'],
  ])('fails with %s, mail is answered 503, and the log, a metric and readiness say why', async (code, message) => {
    const logged = vi.spyOn(Log.prototype, 'error');
    await db.database.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION USING ERRCODE = '${code}', MESSAGE = '${message}'; END $$`);
    await db.database.query('CREATE TRIGGER full_disk BEFORE INSERT ON emails FOR EACH ROW EXECUTE FUNCTION fail()');
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual(
      answers.map(() => [503, 'service_unavailable']),
    );
    expect(await readiness()).toBe(message);
    expect(await metrics()).toMatch(new RegExp(`postloft_database_storage_errors_total\\{code="${code}"\\} [1-9]`));
    // Once for many statements.
    const lines = logged.mock.calls.filter(([event]) => event === 'the database cannot store data');
    expect(lines).toEqual([[expect.anything(), undefined, { code, reason: message }]]);
    logged.mockRestore();
  });
});
