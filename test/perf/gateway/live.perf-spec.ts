import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLiveFixture, type LiveFixture } from '../../support/live/live-fixture.js';
import { happen } from '../../support/live/live-events.js';
import { openSubscribers, processorTime, quantile, residentKib, type LiveLoad } from '../../support/live/live-load.js';
import type { RunningProgram } from '../../support/services/program.js';
import { until } from '../../support/timing/until.js';

const SUBSCRIBERS = Number(process.env['POSTLOFT_LIVE_SUBSCRIBERS'] ?? 5_000);
const DOMAINS = Number(process.env['POSTLOFT_LIVE_DOMAINS'] ?? 500);
/** Of the limit on open files, a quarter is for connections. */
const OPERATIONS = 2;
const PUSHES = 20;
const INTERVAL_MS = 500;

/** Live statistics under load; the peer is a graphql-ws server that does nothing else. */
describe('live statistics', () => {
  let fixture: LiveFixture;
  let gateway: RunningProgram;
  let domains: string[];
  beforeAll(async () => {
    fixture = await openLiveFixture();
    gateway = await fixture.start('gateway', {
      GRAPHQL_SOCKETS_PER_ACCOUNT: '10000',
      GRAPHQL_OPERATIONS_PER_SOCKET: '100',
      HTTP_CONNECTIONS: '5000',
      HTTP_CONNECTIONS_PER_IP: '5000',
    });
    await fixture.start('analytics');
    domains = await fixture.domains(gateway, DOMAINS);
    // Code is compiled and the tail runs before anything is measured.
    const warm = await openSubscribers(gateway.url, gateway.key, {
      domainIds: Array.from({ length: 200 }, () => domains[0]),
    });
    for (let i = 0; i < 50; i++) await deliver([domains[0]]);
    await warm.close();
  });
  afterAll(() => fixture?.close());

  const deliver = (ids: readonly string[]) =>
    happen(
      fixture.database,
      ids.map((domainId) => ({ accountId: fixture.accountId, domainId })),
    );
  const transactions = async (): Promise<number> => {
    const { rows } = await fixture.database.query<{ count: string }>(
      `SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()`,
    );
    return Number(rows[0].count);
  };
  const spread = (count: number, over: number): string[] => Array.from({ length: count }, (_, i) => domains[i % over]);
  const newest = ({ subscribers }: LiveLoad): number[] =>
    subscribers.map(({ arrivals }) => Math.max(...arrivals.keys()));

  /** Delivers one message of each domain per interval; the time from the commit to each push. */
  async function pushes(load: LiveLoad, over: number) {
    const before = newest(load);
    const committed: number[] = [];
    const [cpu, messages, statements, began] = [
      processorTime(gateway.pid),
      load.messages(),
      await transactions(),
      performance.now(),
    ];
    for (let i = 0; i < PUSHES; i++) {
      await deliver(domains.slice(0, over));
      committed.push(performance.now());
      await pause(INTERVAL_MS);
    }
    await until(async () => newest(load).every((count, i) => count === before[i] + PUSHES), { what: 'all pushes' });
    const pushed = load.messages() - messages;
    const seconds = (performance.now() - began) / 1_000;
    const late = load.subscribers.flatMap(({ arrivals }, i) =>
      committed.map((at, n) => (arrivals.get(before[i] + n + 1) ?? NaN) - at).filter((ms) => !Number.isNaN(ms)),
    );
    return {
      p50: quantile(late, 0.5),
      p99: quantile(late, 0.99),
      cpu: (processorTime(gateway.pid) - cpu) / pushed,
      perSecond: ((await transactions()) - statements) / seconds,
    };
  }

  it('push to 1,000 subscribers within 250 ms, and serve them all when they come at once', async () => {
    const [cpu, memory, began] = [processorTime(gateway.pid), residentKib(gateway.pid), performance.now()];
    const load = await openSubscribers(gateway.url, gateway.key, { domainIds: spread(1_000, 1), operations: 20 });
    const each = (processorTime(gateway.pid) - cpu) / 1_000;
    const kib = (residentKib(gateway.pid) - memory) / 1_000;
    console.log(
      `1,000 at once (50 connections × 20): all served in ${Math.round(performance.now() - began)} ms, ` +
        `${Math.round(each)} µs CPU and ${Math.round(kib)} KiB each`,
    );
    expect(load.subscribers.flatMap(({ errors }) => errors)).toEqual([]);
    const figures = await pushes(load, 1);
    console.log(
      `1,000 subscribers: p50 ${Math.round(figures.p50)} ms, p99 ${Math.round(figures.p99)} ms, ` +
        `${figures.cpu.toFixed(1)} µs CPU per push, ${figures.perSecond.toFixed(1)} transactions/s`,
    );
    await load.close();
    expect(each).toBeLessThanOrEqual(2_000);
    expect(figures.p99).toBeLessThanOrEqual(250);
  });

  it.each([1, DOMAINS])('push to 5,000 subscribers over %i domains', async (over) => {
    const idle = await transactions();
    await pause(5_000);
    const without = ((await transactions()) - idle) / 5;
    const [memory, cpu] = [residentKib(gateway.pid), processorTime(gateway.pid)];
    const load = await openSubscribers(gateway.url, gateway.key, {
      domainIds: spread(SUBSCRIBERS, over),
      operations: OPERATIONS,
    });
    const each = (processorTime(gateway.pid) - cpu) / SUBSCRIBERS;
    const kib = (residentKib(gateway.pid) - memory) / SUBSCRIBERS;
    const figures = await pushes(load, over);
    await load.close();
    console.log(
      `${SUBSCRIBERS} subscribers over ${over} domains: p50 ${Math.round(figures.p50)} ms, p99 ${Math.round(figures.p99)} ms, ` +
        `${figures.cpu.toFixed(1)} µs CPU per push; ${figures.perSecond.toFixed(1)} transactions/s (${without.toFixed(1)} without subscribers); ` +
        `${Math.round(kib)} KiB and ${Math.round(each)} µs CPU per subscriber`,
    );
    expect(each).toBeLessThanOrEqual(2_000);
  });

  it('cost at most 0.6 of a bare graphql-ws server per push', async () => {
    const bare = await startBare();
    const domainIds = spread(SUBSCRIBERS, 1);
    const peer = await openSubscribers(bare.url, '', { domainIds, operations: OPERATIONS });
    const bareCost = await (async () => {
      for (let i = 0; i < 5; i++) await bare.publish();
      const [cpu, messages] = [processorTime(bare.pid), peer.messages()];
      for (let i = 0; i < PUSHES; i++) {
        await bare.publish();
        await pause(INTERVAL_MS);
      }
      await until(async () => peer.messages() - messages >= PUSHES * SUBSCRIBERS, { what: 'all pushes of the peer' });
      return (processorTime(bare.pid) - cpu) / (peer.messages() - messages);
    })();
    await peer.close();
    bare.stop();
    const load = await openSubscribers(gateway.url, gateway.key, { domainIds, operations: OPERATIONS });
    for (let i = 0; i < 5; i++) await deliver([domains[0]]);
    await pause(2_000);
    const { cpu } = await pushes(load, 1);
    await load.close();
    console.log(
      `CPU per push: ${cpu.toFixed(1)} µs, bare graphql-ws ${bareCost.toFixed(1)} µs: ${(cpu / bareCost).toFixed(2)}`,
    );
    expect(cpu / bareCost).toBeLessThanOrEqual(0.6);
  });
});

interface Bare {
  url: string;
  pid: number;
  publish(): Promise<void>;
  stop(): void;
}

async function startBare(): Promise<Bare> {
  const child: ChildProcess = fork(fileURLToPath(new URL('./bare-graphql-ws.mjs', import.meta.url)), {
    execArgv: [],
    env: { PATH: process.env['PATH'] },
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    publish: () => new Promise((resolve) => child.send('publish', () => resolve())),
    stop: () => child.disconnect(),
  };
}
