import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Kafka, logLevel } from 'kafkajs';
import { AnalyticsModule } from '#apps/analytics/src/analytics.module';
import { BusModule, OutboxRelay } from '#libs/bus';
import { wholeAccount } from '#libs/contracts';
import { KernelModule, loadConfig, Log, Metrics, Shutdown } from '#libs/kernel';
import { appendEvents, Database, PersistenceModule } from '#libs/persistence';
import { StatsModule, StatsStore } from '#libs/stats';
import { describe, expect, it } from 'vitest';
import { startClickhouseFront } from '../support/clickhouse-front.js';
import { freshDatabase } from '../support/database.js';
import { busProcess } from '../support/log-harness.js';
import { KEEP_ALL, StatsEvents } from '../support/stats-events.js';
import { until } from '../support/until.js';

const brokers = process.env['KAFKA_TEST_BROKERS'];
const NOON = new Date('2026-03-01T12:00:00.000Z');
const DAY_MS = 86_400_000;

@Module({})
class AnalyticsProgram {}

describe.skipIf(!brokers)('statistics over Kafka', { timeout: 180_000 }, () => {
  it('count what a deleted topic had, once', async ({ onTestFinished }) => {
    const home = await freshDatabase(process.env['TEST_DATABASE_URL'] as string);
    const path = await mkdtemp(join(tmpdir(), 'stats-'));
    const front = await startClickhouseFront({ path });
    const prefix = `test-${randomBytes(4).toString('hex')}.`;
    const settings = { KAFKA_BROKERS: brokers as string, KAFKA_TOPIC_PREFIX: prefix };
    const delivery = await busProcess(home.url, settings);
    const sink = new Shutdown(Log.quiet());
    onTestFinished(async () => {
      await sink.run();
      await delivery.stop();
      await front.stop();
      await home.drop();
      await rm(path, { recursive: true, force: true });
    });
    const database = delivery.app.get(Database);
    const relayed = (position: number) =>
      until(async () => {
        const sql = `SELECT FROM consumer_positions WHERE consumer = 'kafka-relay' AND position = $1`;
        return (await database.query(sql, [position])).rowCount === 1;
      });
    const events = new StatsEvents();
    await delivery.app.get(OutboxRelay).start();
    await appendEvents(database, events.deliveries(50, NOON, 1_000));
    await relayed(50);
    const admin = new Kafka({ brokers: [brokers as string], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await admin.deleteTopics({ topics: [`${prefix}email.events.v1`] });
    await admin.disconnect();
    await appendEvents(database, events.deliveries(50, NOON, 1_000));
    await relayed(100);

    const config = loadConfig('analytics', {
      DATABASE_URL: home.url,
      CLICKHOUSE_URL: front.url,
      ...KEEP_ALL,
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      ...settings,
    });
    const imports = [
      KernelModule.forRoot({ config, log: Log.quiet(), shutdown: sink }),
      PersistenceModule.forRoot(Log.quiet()),
      BusModule.forRoot(),
      StatsModule.forRoot(),
      AnalyticsModule,
    ];
    const app = await NestFactory.createApplicationContext({ module: AnalyticsProgram, imports }, { logger: false });
    const store = app.get(StatsStore);
    const window = { from: NOON, to: new Date(NOON.getTime() + DAY_MS) };
    const delivered = async () =>
      (await store.domainStats(wholeAccount(events.accountId), events.domainId, window)).delivered;
    await until(async () => (await delivered()) >= 100, { withinMs: 120_000 });
    expect(await delivered()).toBe(100);
    await until(async () => (await store.completeUpTo()) === 100, { withinMs: 60_000 });
    expect(await app.get(Metrics).render()).toContain('postloft_stats_filled_events_total 50\n');
  });
});
