import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Kafka, logLevel, type Admin } from 'kafkajs';
import { AnalyticsModule } from '#apps/analytics/src/analytics.module';
import { GapCheck } from '#apps/analytics/src/gap-check';
import { BusModule, OutboxRelay } from '#libs/bus';
import { wholeAccount } from '#libs/contracts';
import { KernelModule, loadConfig, Log, Metrics, Shutdown } from '#libs/kernel';
import { outbox, Database } from '#libs/persistence';
import { PersistenceModule } from '../../libs/persistence/src/persistence.module.js';
import { StatsModule, StatsStore } from '#libs/stats';
import { describe, expect, it, type TestContext } from 'vitest';
import { partitionOf } from '../../libs/bus/src/shards/partitioner.js';
import { startClickhouseFront } from '../support/stats/clickhouse-front.js';
import { freshDatabase } from '../support/persistence/database.js';
import { busProcess } from '../support/fixtures/log-harness.js';
import { KEEP_ALL, StatsEvents } from '../support/stats/stats-events.js';
import { until } from '../support/timing/until.js';

const brokers = process.env['KAFKA_TEST_BROKERS'];
const NOON = new Date('2026-03-01T12:00:00.000Z');
const DAY_MS = 86_400_000;

@Module({})
class AnalyticsProgram {}

describe.skipIf(!brokers)('statistics over Kafka', { timeout: 180_000 }, () => {
  /** The sender of events, and sinks that write them to one ClickHouse server. */
  async function open({ onTestFinished }: TestContext, more: Record<string, string> = {}) {
    const home = await freshDatabase(process.env['TEST_DATABASE_URL'] as string);
    const path = await mkdtemp(join(tmpdir(), 'stats-'));
    const front = await startClickhouseFront({ path });
    const prefix = `test-${randomBytes(4).toString('hex')}.`;
    const settings = { KAFKA_BROKERS: brokers as string, KAFKA_TOPIC_PREFIX: prefix, ...more };
    const delivery = await busProcess(home.url, settings);
    const sinks = new Set<Shutdown>();
    onTestFinished(async () => {
      await Promise.all([...sinks].map((sink) => sink.run()));
      await delivery.stop();
      await front.stop();
      await home.drop();
      await rm(path, { recursive: true, force: true });
    });
    const database = delivery.app.get(Database);
    await delivery.app.get(OutboxRelay).start();
    const startSink = async () => {
      const shutdown = new Shutdown(Log.quiet());
      sinks.add(shutdown);
      const config = loadConfig('analytics', {
        DATABASE_URL: home.url,
        CLICKHOUSE_URL: front.url,
        ...KEEP_ALL,
        MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
        ...settings,
      });
      const imports = [
        KernelModule.forRoot({ config, log: Log.quiet(), shutdown }),
        PersistenceModule.forRoot(Log.quiet()),
        BusModule.forRoot(),
        StatsModule.forRoot(),
        AnalyticsModule,
      ];
      const app = await NestFactory.createApplicationContext({ module: AnalyticsProgram, imports }, { logger: false });
      const stop = async () => {
        sinks.delete(shutdown);
        await shutdown.run();
      };
      return { app, store: app.get(StatsStore), stop };
    };
    return { database, topic: `${prefix}email.events.v1`, startSink };
  }
  async function withAdmin(work: (admin: Admin) => Promise<unknown>): Promise<void> {
    const admin = new Kafka({ brokers: [brokers as string], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await work(admin);
    await admin.disconnect();
  }

  it('count what a deleted topic had, once', async (context) => {
    const { database, topic, startSink } = await open(context);
    const relayed = (position: number) =>
      until(async () => {
        const sql = `SELECT FROM consumer_positions WHERE consumer = 'kafka-relay' AND position = $1`;
        return (await database.query(sql, [position])).rowCount === 1;
      });
    const events = new StatsEvents();
    await outbox.append(database, events.deliveries(50, NOON, 1_000));
    await relayed(50);
    await withAdmin((admin) => admin.deleteTopics({ topics: [topic] }));
    await outbox.append(database, events.deliveries(50, NOON, 1_000));
    await relayed(100);

    const { app, store } = await startSink();
    app.get(GapCheck).everyMs = 500;
    const window = { from: NOON, to: new Date(NOON.getTime() + DAY_MS) };
    const delivered = async () =>
      (await store.domainStats(wholeAccount(events.accountId), events.domainId, window)).delivered;
    await until(async () => (await delivered()) >= 100, { withinMs: 120_000 });
    expect(await delivered()).toBe(100);
    await until(async () => (await store.completeUpTo()) === 100, { withinMs: 60_000 });
    expect(await app.get(Metrics).render()).toContain('postloft_stats_filled_events_total 50\n');
  });

  it('have every event up to the position that they tell, with an idle partition and beside a sink that ends', async (context) => {
    const { database, startSink } = await open(context, { KAFKA_PARTITIONS: '3' });
    const sinks = [await startSink(), await startSink()];
    const { store } = sinks[1];
    const events = new StatsEvents();
    let appended = 0;
    // Keys of two partitions only: the third one has nothing but markers.
    const append = async (count: number) => {
      const busy = [];
      while (busy.length < count) {
        const [event] = events.deliveries(1, NOON, 0);
        if (partitionOf(Buffer.from(event.key), 3) !== 2) busy.push(event);
      }
      await outbox.append(database, busy);
      appended += count;
    };
    /** Reads the position first, as the live counters do. */
    const check = async (): Promise<number> => {
      const position = await store.storedUpTo();
      expect(await store.countStored({ after: 0, upTo: position })).toBe(position);
      return position;
    };
    const all = async () => (await check()) === appended;
    await append(30);
    await until(all, { withinMs: 60_000 });
    // By markers: the comparison with the log comes every 15 seconds.
    for (let round = 0; round < 4; round++) {
      await append(30);
      await until(all, { withinMs: 60_000 });
    }
    expect(await store.completeUpTo()).toBeLessThan(appended);
    const stopping = sinks[0].stop();
    for (let round = 0; round < 10; round++) {
      await append(20);
      await check();
      await pause(100);
    }
    await stopping;
    await until(all, { withinMs: 90_000 });
  });
});
