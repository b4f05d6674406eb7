import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '../../libs/persistence/src/embedded-postgres/index.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchOne } from '../support/services/distributed.js';
import { Recorder, type Arrival } from '../support/mail-servers/recorder.js';
import { LocalDns } from '../support/dns/local-dns.js';
import { mail } from '../support/samples/mail.js';
import { launch, type RunningProgram } from '../support/services/program.js';
import { reconcile, type Reconciliation } from '../support/delivery/reconciler.js';
import { until } from '../support/timing/until.js';

const CONCURRENCY = 50;
const MANY = 10;
const PER_SECOND = 200;
const DOT_MS = 200;
const DOMAINS = 10;

/** Gateway and delivery as programs of their own on one PostgreSQL; the MX takes 200 ms for each final dot. */
export function killDeliverySuite(kills: number): void {
  const dir = mkdtempSync(join(tmpdir(), 'postloft-kill-'));
  let postgres: EmbeddedPostgres;
  let sink: Recorder;
  let dns: LocalDns;
  let gateway: RunningProgram;
  let delivery: RunningProgram;
  const sent = new Map<string, string>();
  const accepted = new Map<string, string>();
  const killedAt: number[] = [];
  const settled = new Set<string>();

  beforeAll(async () => {
    chmodSync(dir, 0o755);
    postgres = await EmbeddedPostgres.start({ dataDir: join(dir, 'postgres'), log: () => undefined });
    sink = await Recorder.start({ dotMs: DOT_MS });
    const domains = Array.from({ length: DOMAINS }, (_, i) => domainOf(i));
    dns = await LocalDns.start({
      ...Object.fromEntries(domains.map((name) => [name, { MX: [{ preference: 10, exchange: 'mx.test' }] }])),
      'mx.test': { A: ['127.0.0.1'] },
    });
    const engines = { DATABASE_URL: postgres.url, CLICKHOUSE_URL: 'http://127.0.0.1:1' };
    gateway = await launchOne('gateway', dir, engines);
    delivery = await launchOne('delivery', dir, {
      ...engines,
      DELIVERY_MODE: 'mx',
      MX_PORT: String(sink.ports.smtp),
      ALLOW_PRIVATE_MX: 'true',
      DNS_SERVERS: `127.0.0.1:${dns.port}`,
      DELIVERY_CONCURRENCY: String(CONCURRENCY),
    });
  });
  afterAll(async () => {
    await delivery?.kill();
    await gateway?.stop();
    await sink?.close();
    await dns?.close();
    await postgres?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it(`loses nothing in ${kills} kills, and repeats at most what was at risk`, async () => {
    for (let round = 0; round < kills; round++) {
      await sendFor(300 + Math.random() * 1_200);
      killedAt.push(Date.now());
      await delivery.kill();
      delivery = await launch('delivery', delivery.env, {
        readyUrl: `http://127.0.0.1:${delivery.env['OPS_PORT']}/readyz`,
      });
    }
    await until(async () => distinct(sink.arrivals()) >= accepted.size && (await isQuiet()) && (await areSettled()), {
      withinMs: 120_000,
      everyMs: 1_000,
      what: 'every accepted mail and a quiet queue',
    });
    const result = await reconcile(gateway, { sent, accepted }, sink.arrivals());
    report(result, sink.arrivals());
    const { duplicates, ...others } = result;
    expect(others).toEqual({ lost: [], phantoms: [], liars: [], events: [] });
    const perKill = repeatedPerKill(duplicates, sink.arrivals());
    expect(Math.max(...perKill)).toBeLessThanOrEqual(CONCURRENCY);
    // One kill alone may come at the worst moment.
    if (kills >= MANY) expect(duplicates.length / kills).toBeLessThanOrEqual(CONCURRENCY / 2);
  });

  /** At a steady rate; what was asked is answered before this resolves. */
  async function sendFor(ms: number): Promise<void> {
    const began = performance.now();
    const answers: Promise<void>[] = [];
    for (let i = 0; performance.now() - began < ms; i++) {
      const subject = `k${sent.size}`;
      const to = `${subject}@${domainOf(sent.size % DOMAINS)}`;
      sent.set(subject, to);
      answers.push(sendOne(subject, to));
      const wait = began + ((i + 1) * 1_000) / PER_SECOND - performance.now();
      if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    }
    // The kill comes under load: what is still unanswered is answered after it.
    void Promise.all(answers);
  }

  async function sendOne(subject: string, to: string): Promise<void> {
    const response = await gateway.call('POST', '/emails', mail({ subject, to, html: undefined }));
    const { id } = (await response.json()) as { id: string };
    if (response.status === 201) accepted.set(subject, id);
  }

  async function isQuiet(): Promise<boolean> {
    const response = await fetch(`http://127.0.0.1:${delivery.env['OPS_PORT']}/metrics`);
    const text = await response.text();
    return ['postloft_deliveries_in_flight', 'postloft_deliveries_unsettled', 'postloft_oldest_due_seconds'].every(
      (name) => new RegExp(`^${name} 0$`, 'm').test(text),
    );
  }

  /** A claim of the killed program is in no queue until others find that it is dead. */
  async function areSettled(): Promise<boolean> {
    for (const [subject, id] of accepted) {
      if (settled.has(subject)) continue;
      const { status } = await gateway.json<{ status: string }>('GET', `/emails/${id}`);
      if (status !== 'delivered') return false;
      settled.add(subject);
    }
    return true;
  }

  function report(result: Reconciliation, arrivals: readonly Arrival[]): void {
    const { lost, phantoms, duplicates, liars, events } = result;
    const perKill = repeatedPerKill(duplicates, arrivals);
    console.log(
      `${kills} kills, ${sent.size} asked, ${accepted.size} accepted, ${distinct(arrivals)} at the sink; lost ${lost.length}, ` +
        `phantoms ${phantoms.length}, liars ${liars.length}, events ${events.length}; ${duplicates.length} repeated, ` +
        `per kill at most ${Math.max(...perKill)}, on average ${(duplicates.length / kills).toFixed(1)}: ${perKill.join(' ')}`,
    );
  }

  /** A repetition belongs to the kill that came after the delivery before it. */
  function repeatedPerKill(duplicates: readonly Arrival[], arrivals: readonly Arrival[]): number[] {
    const counts = killedAt.map(() => 0);
    for (const { recipient, at } of duplicates) {
      const before = Math.max(
        ...arrivals.filter((one) => one.recipient === recipient && one.at < at).map((one) => one.at),
      );
      const kill = killedAt.findIndex((time) => time >= before);
      if (kill !== -1) counts[kill] += 1;
    }
    return counts;
  }
}

const domainOf = (i: number): string => `slow${i}.test`;
const distinct = (arrivals: readonly Arrival[]): number => new Set(arrivals.map(({ recipient }) => recipient)).size;
