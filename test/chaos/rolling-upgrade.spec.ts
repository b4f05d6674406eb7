import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EmbeddedPostgres } from '../../libs/persistence/src/embedded-postgres/index.js';
import { reconcile } from '../support/delivery/reconciler.js';
import { LocalDns } from '../support/dns/local-dns.js';
import { Recorder } from '../support/mail-servers/recorder.js';
import { earlierRelease } from '../support/releases/earlier-release.js';
import { mail } from '../support/samples/mail.js';
import { freePorts } from '../support/services/ports.js';
import { API_KEY, launch, type RunningProgram } from '../support/services/program.js';
import { startClickhouseFront, type ClickhouseFront } from '../support/stats/clickhouse-front.js';
import { until } from '../support/timing/until.js';

const FROM_VERSION = '0.1.0';
const PER_SECOND = Number(process.env['ROLLING_PER_SECOND'] ?? 50);
const COPIES = 2;
/** In the order of docs/upgrading.md. */
const PROGRAMS = ['gateway', 'smtp', 'delivery', 'analytics', 'webhooks'] as const;
const DOMAINS = 10;

/** Two copies of each program of 0.1.0 under load, each replaced by one of this version: the new one starts, then the old one stops. */
const dir = mkdtempSync(join(tmpdir(), 'postloft-rolling-'));
let postgres: EmbeddedPostgres;
let clickhouse: ClickhouseFront;
let dns: LocalDns;
let sink: Recorder;
let root: string;
const running = new Map<string, RunningProgram>();
const sent = new Map<string, string>();
const accepted = new Map<string, string>();
const refused: string[] = [];

beforeAll(async () => {
  chmodSync(dir, 0o755);
  root = earlierRelease(FROM_VERSION);
  postgres = await EmbeddedPostgres.start({ dataDir: join(dir, 'postgres'), log: () => undefined, connections: 300 });
  clickhouse = await startClickhouseFront({ path: join(dir, 'clickhouse') });
  sink = await Recorder.start({ dotMs: 20 });
  const server = { MX: [{ preference: 10, exchange: 'mx.test' }] };
  dns = await LocalDns.start({
    ...Object.fromEntries(Array.from({ length: DOMAINS }, (_, i) => [domainOf(i), server])),
    'mx.test': { A: ['127.0.0.1'] },
  });
  for (let copy = 0; copy < COPIES; copy += 1) for (const name of PROGRAMS) await start(name, copy, root);
}, 600_000);
afterAll(async () => {
  await Promise.all([...running.values()].map((program) => program.kill()));
  await sink?.close();
  await dns?.close();
  await clickhouse?.stop();
  await postgres?.stop();
  rmSync(dir, { recursive: true, force: true });
});

it('refuses, loses and doubles nothing', async () => {
  const load = startLoad();
  const rows: string[] = [];
  for (const name of PROGRAMS) {
    for (let copy = 0; copy < COPIES; copy += 1) {
      const [asked, failed] = [sent.size, refused.length];
      const old = running.get(`${name} ${copy}`);
      await start(name, copy);
      // The load balancer has the new copy only; then the old one is told to stop.
      expect(await old?.stop()).toBe(0);
      rows.push(`${name.padEnd(10)} copy ${copy + 1}  ${sent.size - asked} asked, ${refused.length - failed} refused`);
    }
  }
  await load.stop();
  await until(() => Promise.resolve(new Set(sink.arrivals().map((one) => one.recipient)).size >= accepted.size), {
    withinMs: 180_000,
    everyMs: 1_000,
    what: 'every accepted email at the server',
  });
  const gateway = running.get('gateway 0') as RunningProgram;
  await until(async () => (await reconcile(gateway, { sent, accepted }, sink.arrivals())).events.length === 0, {
    withinMs: 60_000,
    everyMs: 3_000,
    what: 'the last event of each email',
  });
  const { duplicates, ...others } = await reconcile(gateway, { sent, accepted }, sink.arrivals());
  const { totals } = await until(async () => {
    const stats = await gateway.json<{ totals: { delivered: number } }>('GET', '/stats?metrics=delivered');
    return stats.totals.delivered >= accepted.size && stats;
  });
  console.log(
    [
      ...rows,
      `all        ${sent.size} asked, ${refused.length} refused, ${accepted.size} accepted, ${others.lost.length} lost, ${duplicates.length} doubled`,
      `statistics ${totals.delivered} delivered`,
      ...refused.slice(0, 10),
    ].join('\n'),
  );
  expect({ ...others, duplicates, refused }).toEqual({
    lost: [],
    phantoms: [],
    liars: [],
    events: [],
    duplicates: [],
    refused: [],
  });
  expect(totals.delivered).toBe(accepted.size);
}, 1_200_000);

/** @param of folder of the version; this one if absent */
async function start(name: (typeof PROGRAMS)[number], copy: number, of?: string): Promise<void> {
  const [http, smtp, smtps, inbound, ops] = await freePorts(5);
  const dataDir = join(dir, `${name}-${copy}-${of === undefined ? 'new' : 'old'}`);
  mkdirSync(dataDir);
  const env = {
    DATA_DIR: dataDir,
    HTTP_PORT: String(http),
    SMTP_PORT: String(smtp),
    SMTPS_PORT: String(smtps),
    INBOUND_SMTP_PORT: String(inbound),
    OPS_PORT: String(ops),
    DATABASE_URL: postgres.url,
    CLICKHOUSE_URL: `${clickhouse.url}/default`,
    MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
    BOOTSTRAP_API_KEY: API_KEY,
    DELIVERY_MODE: 'mx',
    MX_PORT: String(sink.ports.smtp),
    ALLOW_PRIVATE_MX: 'true',
    DNS_SERVERS: dns.address,
    RATE_LIMIT_PER_SECOND: '0',
    DATABASE_POOL_SIZE: '8',
    LOG_FORMAT: 'json',
  };
  const readyUrl = `http://127.0.0.1:${ops}/readyz`;
  const program = await launch(name, env, of === undefined ? { readyUrl } : { readyUrl, root: of });
  running.set(`${name} ${copy}`, program);
}

/** At a steady rate, by turns to the copies of the gateway. Every answer but 201 is a refusal. */
function startLoad(): { stop: () => Promise<void> } {
  const open = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const subject = `u${sent.size}`;
    const to = `${subject}@${domainOf(sent.size % DOMAINS)}`;
    const gateway = running.get(`gateway ${sent.size % COPIES}`) as RunningProgram;
    sent.set(subject, to);
    const asked = sendOne(gateway, subject, to).finally(() => open.delete(asked));
    open.add(asked);
  }, 1_000 / PER_SECOND);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}

async function sendOne(gateway: RunningProgram, subject: string, to: string): Promise<void> {
  try {
    const response = await gateway.call('POST', '/emails', mail({ subject, to, html: undefined }));
    const body = await response.text();
    if (response.status === 201) accepted.set(subject, (JSON.parse(body) as { id: string }).id);
    else refused.push(`${subject}: ${response.status} ${body}`);
  } catch (error) {
    refused.push(`${subject}: ${(error as Error).message} ${String((error as Error).cause)}`);
  }
}

const domainOf = (i: number): string => `rolling${i}.test`;
