import { LogConsumers, OutboxRelay } from '#libs/bus';
import { EventLogRetention } from '../../../libs/bus/src/postgres/event-log-retention.js';
import { newId } from '#libs/contracts';
import { Metrics } from '#libs/kernel';
import { outbox, Database } from '#libs/persistence';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../support/persistence/database.js';
import { busProcess } from '../../support/fixtures/log-harness.js';
import { queuedEvents } from '../../support/webhooks/webhooks-harness.js';

const server = process.env['TEST_DATABASE_URL'] as string;

describe('consumers that exist no more', () => {
  let home: TestDatabase;
  let program: Awaited<ReturnType<typeof busProcess>>;
  let database: Database;
  let consumers: LogConsumers;

  beforeEach(async () => {
    home = await freshDatabase(server);
    program = await busProcess(home.url, { RETENTION_EVENTS: '10d' });
    database = program.app.get(Database);
    consumers = program.app.get(LogConsumers);
    await program.app.get(OutboxRelay).start();
    await outbox.append(database, queuedEvents(newId('acc'), 3));
  });
  afterEach(async () => {
    await program.stop();
    await home.drop();
  });

  /** A consumer whose last process ended so many days ago. */
  async function ended(name: string, days: number): Promise<void> {
    const at = `now() - $2 * interval '1 day'`;
    await database.query(`INSERT INTO consumer_positions (consumer, position, updated_at) VALUES ($1, 0, ${at})`, [
      name,
      days,
    ]);
    await database.query(`INSERT INTO leases (name, heartbeat_at) VALUES ('consumer ' || $1, ${at})`, [name, days]);
  }
  const names = async () => (await consumers.list()).map(({ consumer }) => consumer);
  const prune = () => program.app.get(EventLogRetention).prune(new Date());
  const lag = () => program.app.get(Metrics).registry.getSingleMetricAsString('postloft_log_lag_events');
  const running = async (consumer: string) => {
    await program.log.consume({ consumer, batchSize: 10, handle: async () => undefined });
    await expect
      .poll(async () => (await consumers.list()).find((one) => one.consumer === consumer)?.isRunning)
      .toBe(true);
  };

  it('are forgotten when nothing has run them for as long as events are kept', async () => {
    await running('webhooks');
    await ended('kafka-relay', 11);
    await ended('statistics', 9);
    await database.query(
      `UPDATE consumer_positions SET updated_at = now() - interval '20 days' WHERE consumer = 'webhooks'`,
    );
    expect(await names()).toEqual(['kafka-relay', 'statistics', 'webhooks']);
    expect(await lag()).toContain('consumer="kafka-relay"');
    await prune();
    expect(await names()).toEqual(['statistics', 'webhooks']);
    expect(await lag()).not.toContain('consumer="kafka-relay"');
    expect(await lag()).toContain('consumer="statistics"');
  });

  it('include the copies of tables to Kafka', async () => {
    const add = (relay: string, days: number) =>
      database.query(
        `INSERT INTO relay_positions (relay, done, updated_at) VALUES ($1, '1:1:', now() - $2 * interval '1 day')`,
        [relay, days],
      );
    await add('kafka-relay email.attempts.v1', 11);
    await add('kafka-relay webhook.deliveries.v1', 9);
    await prune();
    expect(await names()).toEqual(['kafka-relay webhook.deliveries.v1']);
  });

  it('are removed by the operator at once, unless a process runs them', async () => {
    await running('webhooks');
    await ended('kafka-relay', 1);
    expect(await consumers.remove('webhooks')).toBe('running');
    expect(await consumers.remove('kafka-relay')).toBe('removed');
    expect(await consumers.remove('kafka-relay')).toBe('unknown');
    expect(await names()).toEqual(['webhooks']);
  });
});
