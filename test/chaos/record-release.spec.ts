import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedPostgres } from '../../libs/persistence/src/embedded-postgres/index.js';
import { LocalDns } from '../support/dns/local-dns.js';
import { ScriptedMx } from '../support/mail-servers/scripted-mx.js';
import { startPostgres, type PostgresServer } from '../support/persistence/postgres-server.js';
import { snapshotOf, UNFINISHED } from '../support/releases/api-snapshot.js';
import { earlierRelease } from '../support/releases/earlier-release.js';
import { fillEmptyTables } from '../support/releases/fill-tables.js';
import { RELEASE_SETTINGS } from '../support/releases/release-sample.js';
import { mail } from '../support/samples/mail.js';
import { emptyDataDir, launch, standaloneEnv, type RunningProgram } from '../support/services/program.js';
import { until } from '../support/timing/until.js';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.js';

/**
 * Writes test/golden/releases/<version>: what that version leaves behind, and what its API said of it. Only with
 * POSTLOFT_RECORD_RELEASE=<version>; it needs the history of the repository and PostgreSQL 15 with pg_dump.
 */
const VERSION = process.env['POSTLOFT_RECORD_RELEASE'] as '0.1.0' | undefined;
const BIN = '/usr/lib/postgresql/15/bin';
const FOLDER = fileURLToPath(new URL(`../golden/releases/${VERSION}/`, import.meta.url));
const FROM = 'Shop <orders@shop.example>';

describe.skipIf(VERSION === undefined)('a recording of an earlier version', () => {
  let dns: LocalDns;
  let mx: ScriptedMx;
  let hooks: WebhookReceiver;
  let root: string;
  beforeAll(async () => {
    root = earlierRelease(VERSION ?? '0.1.0');
    mkdirSync(FOLDER, { recursive: true });
    hooks = await WebhookReceiver.start();
    mx = await ScriptedMx.start({
      on: {
        rcpt: ({ line }) => {
          if (line.includes('gone@')) return '550 5.1.1 No such user';
          if (line.includes('full@')) return '452 4.2.2 Mailbox full';
          if (line.includes('later@')) return '451 4.3.0 Try again later';
          return undefined;
        },
      },
    });
    const server = { MX: [{ preference: 10, exchange: 'mx.example.net' }] };
    dns = await LocalDns.start({ 'example.net': server, 'mx.example.net': { A: ['127.0.0.1'] } });
  });
  afterAll(async () => {
    await hooks?.close();
    await mx?.close();
    await dns?.close();
  });

  it('is a data directory', async () => {
    const dataDir = emptyDataDir();
    const { expected } = await use({ ...(await standaloneEnv(dataDir)), ...RELEASE_SETTINGS });
    const server = await EmbeddedPostgres.start({ dataDir, log: () => undefined });
    const { filled, empty } = await fillEmptyTables(server.url);
    await server.stop();
    console.log(`rows by SQL: ${filled.join(' ')}; empty: ${empty.join(' ')}`);
    writeFileSync(`${FOLDER}data-dir.json.br`, compressed(Buffer.from(JSON.stringify(expected))));
    const left = ['--exclude=*.log', '--exclude=postgres/pg_stat*', '--exclude=*.lock', '--exclude=postmaster.*'];
    const tar = execFileSync('tar', ['-c', '--sort=name', '--numeric-owner', ...left, '-C', dataDir, '.'], {
      maxBuffer: 2 ** 30,
    });
    writeFileSync(`${FOLDER}data-dir.tar.br`, compressed(tar));
    rmSync(dataDir, { recursive: true });
  });

  it('is a dump', async () => {
    const server: PostgresServer = await startPostgres(BIN);
    const dataDir = emptyDataDir();
    const { expected } = await use({
      ...(await standaloneEnv(dataDir)),
      ...RELEASE_SETTINGS,
      DATABASE_URL: server.url,
    });
    await fillEmptyTables(server.url);
    const options = ['--rows-per-insert=50', '--no-owner', '--no-privileges', '--schema=public'];
    const dump = execFileSync(`${BIN}/pg_dump`, [...options, server.url], { encoding: 'utf8', maxBuffer: 2 ** 28 });
    await server.stop();
    writeFileSync(`${FOLDER}dump.json.br`, compressed(Buffer.from(JSON.stringify(expected))));
    writeFileSync(`${FOLDER}dump.sql.br`, compressed(Buffer.from(dump)));
    rmSync(dataDir, { recursive: true });
  });

  /** Capture first, then delivery; ends with mail in each state. */
  async function use(env: Record<string, string>) {
    const from = new Date().toISOString();
    const captured = await launch('standalone', { ...env, DELIVERY_MODE: 'capture' }, { root });
    for (const to of ['ada@example.net', 'ben@example.net'])
      await captured.json('POST', '/emails', mail({ from: FROM, to, subject: 'Captured' }));
    await until(async () => (await captured.json<{ data: object[] }>('GET', '/captured')).data.length === 2);
    expect(await captured.stop()).toBe(0);
    const delivery = {
      DELIVERY_MODE: 'mx',
      MX_PORT: String(mx.port),
      ALLOW_PRIVATE_MX: 'true',
      DNS_SERVERS: dns.address,
    };
    const service = await launch('standalone', { ...env, ...delivery }, { root });
    try {
      await traffic(service);
      await waiting(service);
    } catch (error) {
      await service.kill();
      throw error;
    }
    const period = { from, to: new Date().toISOString() };
    const api = await snapshotOf(service, period);
    expect(await service.stop()).toBe(0);
    return { expected: { version: VERSION, period, api } };
  }

  async function traffic(service: RunningProgram): Promise<void> {
    const { call, json } = service;
    const ok = async (...request: Parameters<typeof call>) => json<{ id: string }>(...request);
    await ok('POST', '/webhooks', { url: hooks.url('/hook'), events: ['*'] });
    const failing = await ok('POST', '/webhooks', { url: 'http://127.0.0.1:29999/', events: ['email.bounced'] });
    await ok('POST', `/webhooks/${failing.id}/signing-secret/rotate`, {});
    await ok('POST', '/domains', { name: 'pending.example' });
    const removed = await ok('POST', '/domains', { name: 'removed.example' });
    await ok('POST', '/suppressions', { email: 'no@example.net', domain_id: removed.id });
    await call('DELETE', `/domains/${removed.id}`);
    for (const email of ['blocked@example.net', 'erased@example.net']) await ok('POST', '/suppressions', { email });
    await ok('POST', '/api-keys', { name: 'Sender', permission: 'sending_access' });
    await ok('POST', '/erasures', { email: 'erased@example.net' });
    const shop = (await json<{ id: string; name: string }[]>('GET', '/domains')).find(
      ({ name }) => name === 'shop.example',
    );
    await ok('PATCH', `/domains/${shop?.id}`, { open_tracking: true, click_tracking: true });
    const send = (over: object, headers = {}) => ok('POST', '/emails', mail({ from: FROM, ...over }), headers);
    for (let i = 0; i < 12; i += 1)
      await send({ to: `reader${i}@example.net`, subject: `Order ${i}`, tags: { kind: i % 2 ? 'order' : 'bill' } });
    const attachments = [{ filename: 'bill.txt', content: Buffer.from('12 EUR').toString('base64') }];
    await send({ to: 'zoe@example.net', subject: 'With a file', attachments }, { 'idempotency-key': 'order-1' });
    const html = '<p><a href="https://shop.example/1">See</a></p>';
    await send({ to: ['ada@example.net', 'gone@example.net'], cc: 'bea@example.net', subject: 'Several', html });
    await send({ to: 'gone@example.net', subject: 'To nobody' });
    await send({ to: 'full@example.net', subject: 'Deferred 1' });
    await send({ to: 'later@example.net', subject: 'Deferred 2' });
    await until(async () => (await json<{ data: object[] }>('GET', '/suppressions?origin=bounce')).data.length === 1);
    await call('POST', '/emails', mail({ from: FROM, to: 'blocked@example.net', subject: 'Suppressed' }));
    for (const result of ['opened', 'clicked', 'complained', 'bounced'])
      await send({ to: `${result}@simulator.postloft.test`, subject: result, sandbox: true, sandbox_result: result });
    const inTenMinutes = new Date(Date.now() + 600_000).toISOString();
    for (const i of [1, 2])
      await send({ to: 'ada@example.net', subject: `Scheduled ${i}`, scheduled_at: inTenMinutes });
    const canceled = await send({ to: 'ada@example.net', subject: 'Canceled', scheduled_at: inTenMinutes });
    await ok('POST', `/emails/${canceled.id}/cancel`, {});
  }

  /** Mail that no attempt has reached yet, then until nothing changes any more. */
  async function waiting(service: RunningProgram): Promise<void> {
    const states = async () => {
      const { data } = await service.json<{ data: { status: string; subject: string }[] }>('GET', '/emails?limit=100');
      return data;
    };
    await until(async () => (await states()).every((one) => !['queued', 'sending'].includes(one.status)), {
      what: 'an end or a deferral of every email',
    });
    const soon = new Date(Date.now() + 600_000).toISOString();
    for (let i = 1; i <= 3; i += 1)
      await service.json(
        'POST',
        '/emails',
        mail({ from: FROM, to: `w${i}@example.net`, subject: `Waiting ${i}`, scheduled_at: soon }),
      );
    const sent = async () => {
      const stats = await service.json<{ totals: { delivered: number } }>('GET', '/stats?metrics=delivered');
      return stats.totals.delivered;
    };
    await until(async () => (await sent()) >= 14, { what: 'statistics' });
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect((await states()).filter(({ status }) => UNFINISHED.has(status)).length).toBe(7);
  }
});

/** The window covers the whole of it: the three databases of a cluster have mostly the same pages. */
function compressed(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LARGE_WINDOW]: 1,
      [constants.BROTLI_PARAM_LGWIN]: 27,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}
