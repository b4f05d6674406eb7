import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AnalyticsModule } from '#apps/analytics/src/analytics.module';
import { GapCheck } from '#apps/analytics/src/gap-check';
import { BusModule, LiveLog, OutboxRelay, ParkedEvents } from '#libs/bus';
import { newId, type RoutedEvent, wholeAccount } from '#libs/contracts';
import { Health, KernelModule, loadConfig, Log, Metrics, Shutdown } from '#libs/kernel';
import { outbox, Database, Worker } from '#libs/persistence';
import { PersistenceModule } from '../../../libs/persistence/src/persistence.module.js';
import { StatsModule, StatsStore } from '#libs/stats';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startClickhouseFront, type ClickhouseFront } from '../../support/stats/clickhouse-front.js';
import { freshDatabase, type TestDatabase } from '../../support/persistence/database.js';
import { busProcess } from '../../support/fixtures/log-harness.js';
import { KEEP_ALL } from '../../support/stats/stats-events.js';
import { until as untilWithin } from '../../support/timing/until.js';

const server = process.env['TEST_DATABASE_URL'] as string;
const silent = Log.quiet();
const NOON = Date.parse('2026-03-01T12:00:00.000Z');
const account = newId('acc');
const domain = newId('dom');

/** A test starts several engines, which takes long on a busy machine. */
const PATIENCE_MS = 90_000;
const until = (ask: () => Promise<boolean>) => untilWithin(ask, { withinMs: PATIENCE_MS });

@Module({})
class AnalyticsProgram {}

interface RunningSink {
  app: INestApplicationContext;
  stop(): Promise<void>;
}

describe('the statistics sink', { timeout: 3 * PATIENCE_MS }, () => {
  let home: TestDatabase;
  let delivery: Awaited<ReturnType<typeof busProcess>>;
  let database: Database;
  let path: string;
  /** For the tests that do not stop it, a database each. */
  let shared: ClickhouseFront;
  let sharedPath: string;
  let front: ClickhouseFront | undefined;
  let clickhouseUrl: string;
  const sinks: RunningSink[] = [];
  let appended = 0;

  beforeAll(async () => {
    sharedPath = await mkdtemp(join(tmpdir(), 'stats-'));
    shared = await startClickhouseFront({ path: sharedPath });
  });
  afterAll(async () => {
    await shared?.stop();
    await rm(sharedPath, { recursive: true, force: true });
  });
  beforeEach(async () => {
    home = await freshDatabase(server);
    delivery = await busProcess(home.url);
    database = delivery.app.get(Database);
    await delivery.app.get(OutboxRelay).start();
    path = await mkdtemp(join(tmpdir(), 'stats-'));
    clickhouseUrl = `${shared.url}/test_${randomBytes(4).toString('hex')}`;
    front = undefined;
    appended = 0;
  });
  afterEach(async () => {
    await Promise.all(sinks.splice(0).map((sink) => sink.stop()));
    await delivery.stop();
    await home.drop();
    await front?.stop();
    await rm(path, { recursive: true, force: true });
  });

  async function startSink(): Promise<RunningSink> {
    const config = loadConfig('analytics', {
      DATABASE_URL: home.url,
      CLICKHOUSE_URL: clickhouseUrl,
      ...KEEP_ALL,
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    });
    const shutdown = new Shutdown(silent);
    const kernel = KernelModule.forRoot({ config, log: silent, shutdown });
    const imports = [
      kernel,
      PersistenceModule.forRoot(silent),
      BusModule.forRoot(),
      StatsModule.forRoot(),
      AnalyticsModule,
    ];
    const root = { module: AnalyticsProgram, imports };
    const app = await NestFactory.createApplicationContext(root, { logger: ['error'], abortOnError: false });
    app.get(GapCheck).everyMs = 300;
    const sink = { app, stop: () => shutdown.run() };
    sinks.push(sink);
    return sink;
  }
  async function stop(sink: RunningSink): Promise<void> {
    sinks.splice(sinks.indexOf(sink), 1);
    await sink.stop();
  }
  /** A server that the test stops: `start` begins it again at the same address. */
  async function openServer() {
    const first = await startClickhouseFront({ path });
    const port = Number(new URL(first.url).port);
    [front, clickhouseUrl] = [first, first.url];
    const start = async (at = path) => {
      front = await startClickhouseFront({ path: at, port });
    };
    const stop = async (signal?: NodeJS.Signals) => front?.stop(signal);
    return { start, stop };
  }
  const delivered = async ({ app }: RunningSink): Promise<number> => {
    const from = new Date(NOON);
    return (
      await app.get(StatsStore).domainStats(wholeAccount(account), domain, { from, to: new Date(NOON + 86_400_000) })
    ).delivered;
  };
  async function append(count: number): Promise<void> {
    const events = Array.from({ length: count }, () => deliveryAt(NOON + appended++ * 100));
    await database.transaction((tx) => outbox.append(tx, events));
  }
  const metric = async ({ app }: RunningSink, name: string): Promise<number | undefined> => {
    const found = new RegExp(`^${name} (\\d+)$`, 'm').exec(await app.get(Metrics).render());
    return found ? Number(found[1]) : undefined;
  };
  const gauge = (sink: RunningSink) => metric(sink, 'postloft_sink_lag_events');

  it('counts every event once while the server is killed again and again', async () => {
    const server = await openServer();
    const sink = await startSink();
    for (let round = 0; round < 6; round++) {
      await append(400);
      // Somewhere between the look-up and the commit of a batch, another place each time.
      await new Promise((resolve) => setTimeout(resolve, 40 + round * 70));
      await server.stop('SIGKILL');
      await server.start();
    }
    await until(async () => (await delivered(sink)) >= 2_400);
    expect(await delivered(sink)).toBe(2_400);
    expect(await gauge(sink)).toBe(0);
  });

  it('shows how far it is behind and that it is not ready while the server is away', async () => {
    const server = await openServer();
    const sink = await startSink();
    const health = sink.app.get(Health);
    await append(10);
    await until(async () => (await gauge(sink)) === 0);
    expect(await health.failures()).toEqual({});
    await server.stop('SIGKILL');
    await append(25);
    await until(async () => (await gauge(sink)) === 25);
    await until(async () => 'statistics' in (await health.failures()));
    await server.start();
    await until(async () => (await gauge(sink)) === 0);
    expect(await health.failures()).toEqual({});
    expect(await delivered(sink)).toBe(35);
  });

  it('parks an event that the store cannot take, counts the others, and reports nothing as missing', async () => {
    let sink = await startSink();
    await append(10);
    const strange = { ...deliveryAt(NOON), event: { ...deliveryAt(NOON).event, data: null } };
    await database.transaction((tx) => outbox.append(tx, [strange as never]));
    await append(10);
    await until(async () => (await delivered(sink)) === 20);
    const parked = sink.app.get(ParkedEvents);
    await until(async () => (await parked.list(10)).length === 1);
    expect(await parked.list(10)).toMatchObject([{ event_id: strange.event.id, source: 'log', failures: 1 }]);
    // A start compares the store with the log.
    await stop(sink);
    sink = await startSink();
    await until(async () => (await metric(sink, 'postloft_stats_complete_position')) === 21);
    expect(await metric(sink, 'postloft_stats_missing_events')).toBe(0);
    expect(await sink.app.get(Health).failures()).toEqual({});
  });

  it('parks an event that it adds from the log and the store cannot take, and compares what follows', async () => {
    let sink = await startSink();
    await append(3);
    await until(async () => (await delivered(sink)) === 3);
    await stop(sink);
    const strange = { ...deliveryAt(NOON), event: { ...deliveryAt(NOON).event, data: null } };
    await database.transaction((tx) => outbox.append(tx, [strange as never]));
    await append(3);
    await until(async () => (await delivery.app.get(LiveLog).head()) === 7);
    // As if the consumer had never received these.
    await database.query('UPDATE consumer_positions SET position = 7');
    sink = await startSink();
    await until(async () => (await metric(sink, 'postloft_stats_complete_position')) === 7);
    expect(await delivered(sink)).toBe(6);
    expect(await sink.app.get(ParkedEvents).list(10)).toMatchObject([{ event_id: strange.event.id, source: 'log' }]);
    expect(await metric(sink, 'postloft_stats_missing_events')).toBe(0);
  });

  it('starts without the server and counts once it is there', async () => {
    const server = await openServer();
    await server.stop();
    const sink = await startSink();
    await append(5);
    await until(async () => 'statistics' in (await sink.app.get(Health).failures()));
    await server.start();
    await until(async () => (await delivered(sink)) === 5);
  });

  it('counts nothing twice when its position is set back to the start, twice', async () => {
    let sink = await startSink();
    // After fewer than 50 events, the sink does not wait for a fuller batch.
    for (let round = 0; round < 4; round++) {
      await append(40);
      await until(async () => (await delivered(sink)) === (round + 1) * 40);
    }
    for (let round = 0; round < 2; round++) {
      await stop(sink);
      await database.query('UPDATE consumer_positions SET position = 0');
      await append(1);
      sink = await startSink();
      await until(async () => (await delivered(sink)) >= 161 + round);
      await until(async () => (await gauge(sink)) === 0);
      expect(await delivered(sink)).toBe(161 + round);
    }
  });

  it('fills a store that was lost from the start of the log', async () => {
    const server = await openServer();
    let sink = await startSink();
    await append(300);
    await until(async () => (await delivered(sink)) === 300);
    await stop(sink);
    const empty = await mkdtemp(join(tmpdir(), 'stats-'));
    await server.stop('SIGKILL');
    await server.start(empty);
    await append(10);
    sink = await startSink();
    await until(async () => (await delivered(sink)) >= 310);
    expect(await delivered(sink)).toBe(310);
    await server.stop();
    await rm(empty, { recursive: true, force: true });
  });

  it('adds the events after the backup from which the store was restored', async () => {
    const server = await openServer();
    let sink = await startSink();
    await append(100);
    await until(async () => (await delivered(sink)) === 100);
    await stop(sink);
    await server.stop();
    const backup = await mkdtemp(join(tmpdir(), 'stats-'));
    await cp(path, backup, { recursive: true });
    await server.start();
    sink = await startSink();
    await append(200);
    await until(async () => (await delivered(sink)) === 300);
    await stop(sink);
    await server.stop('SIGKILL');
    await server.start(backup);
    sink = await startSink();
    await until(async () => (await delivered(sink)) >= 300);
    expect(await delivered(sink)).toBe(300);
    expect(await metric(sink, 'postloft_stats_filled_events_total')).toBe(200);
    await until(async () => (await metric(sink, 'postloft_stats_complete_position')) === 300);
    expect(await metric(sink, 'postloft_stats_missing_events')).toBe(0);
    expect(await sink.app.get(Health).failures()).toEqual({});
    await server.stop();
    await rm(backup, { recursive: true, force: true });
  });

  it('tells what neither a new store nor the log has', async () => {
    await append(40);
    await until(async () => (await delivery.app.get(LiveLog).head()) === 40);
    await append(10);
    await until(async () => (await delivery.app.get(LiveLog).head()) === 50);
    await database.query('DELETE FROM event_log WHERE first_position <= 40');
    const sink = await startSink();
    await until(async () => (await delivered(sink)) === 10);
    // The first comparison may come before the first batch.
    await until(async () => (await metric(sink, 'postloft_stats_lost_events')) === 40);
  });

  it('lets one of two sinks compare the store with the log, and then the other', async () => {
    const running = await Promise.all([startSink(), startSink()]);
    const holders = async () => {
      const { rows } = await database.query<{ owner: string | null }>(
        `SELECT owner FROM leases WHERE name LIKE 'statistics gaps of %'`,
      );
      return rows.map(({ owner }) => owner);
    };
    await until(async () => (await holders()).length === 1);
    const [first] = await holders();
    const holder = running.find(({ app }) => app.get(Worker).id === first) as RunningSink;
    const other = running.find((one) => one !== holder) as RunningSink;
    await append(30);
    await until(async () => (await delivered(other)) === 30);
    const complete = async (sink: RunningSink) => metric(sink, 'postloft_stats_complete_position');
    await until(async () => (await complete(holder)) === 30 && (await complete(other)) === 30);
    await stop(holder);
    await until(async () => (await holders())[0] === other.app.get(Worker).id);
    await append(30);
    await until(async () => (await complete(other)) === 60);
    expect(await delivered(other)).toBe(60);
  });

  it('leaves each event to one of two sinks', async () => {
    const [one] = await Promise.all([startSink(), startSink()]);
    for (let i = 0; i < 20; i++) await append(25);
    await until(async () => (await delivered(one)) >= 500);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await delivered(one)).toBe(500);
  });
});

function deliveryAt(at: number): RoutedEvent {
  const key = newId('em');
  return outbox.event({
    type: 'email.delivered',
    data: { email_id: key, recipient: 'ann@example.com' } as never,
    accountId: account,
    key,
    sequence: 1,
    domainId: domain,
    test: false,
    at: new Date(at),
  });
}
