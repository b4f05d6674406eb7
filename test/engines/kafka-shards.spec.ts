import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, type TestContext } from 'vitest';
import { newId, type RoutedEvent } from '#libs/contracts';
import { OutboxRelay, Relays } from '#libs/bus';
import { Database, outbox } from '#libs/persistence';
import { freshDatabase } from '../support/persistence/database.js';
import { busProcess } from '../support/fixtures/log-harness.js';
import { readTopic } from '../support/fixtures/read-topic.js';
import { until } from '../support/timing/until.js';

const brokers = process.env['KAFKA_TEST_BROKERS'];
const PARTITIONS = 6;
const KEYS = 40;

type Process = Awaited<ReturnType<typeof busProcess>>;

describe.skipIf(!brokers)('copying the event log to Kafka in shards', { timeout: 180_000 }, () => {
  /** A database and a topic of the test's own, with the program that moves events to the log and may copy them. */
  async function open({ onTestFinished }: TestContext, shards: string) {
    const home = await freshDatabase(process.env['TEST_DATABASE_URL'] as string);
    const processes = new Set<Process>();
    onTestFinished(async () => {
      await Promise.all([...processes].map((one) => one.stop()));
      await home.drop();
    });
    const prefix = `test-${randomBytes(4).toString('hex')}.`;
    const settings = {
      KAFKA_BROKERS: brokers as string,
      KAFKA_TOPIC_PREFIX: prefix,
      KAFKA_PARTITIONS: String(PARTITIONS),
      EVENT_LOG_SHARDS: shards,
    };
    const keep = (one: Process) => {
      processes.add(one);
      return { ...one, stop: () => (processes.delete(one), one.stop()) };
    };
    const delivery = keep(await busProcess(home.url, settings));
    await delivery.app.get(OutboxRelay).start();
    const startRelay = async (more: Record<string, string> = {}) => {
      const relay = keep(await busProcess(home.url, { ...settings, ...more }, 'relay'));
      relay.app.get(Relays).startLog();
      return relay;
    };
    const database = delivery.app.get(Database);
    /** The program of the owner of each lease of the relay. */
    const owners = async () => {
      const { rows } = await database.query<{ name: string; program: string; owner: string }>(
        `SELECT name, program, owner FROM leases JOIN workers ON workers.id = owner
          WHERE name LIKE 'consumer kafka-relay%' ORDER BY name`,
      );
      return rows;
    };
    return { database, topic: `${prefix}email.events.v1`, startRelay, owners };
  }

  it('is shared by two programs, of which each takes over from the other', async (context) => {
    const { database, topic, startRelay, owners } = await open(context, '2');
    const events = new Events();
    const first = await startRelay();
    await until(async () => (await owners()).length === 2, { withinMs: 60_000 });
    const second = await startRelay();
    const shared = async () => new Set((await owners()).map(({ owner }) => owner)).size === 2;
    await until(shared, { withinMs: 60_000 });
    const topicOf = await readTopic(brokers as string, topic);
    for (let round = 0; round < 10; round++) {
      await outbox.append(database, events.next(5));
      await pause(20);
    }
    await until(async () => topicOf.ids().size === events.count, { withinMs: 60_000 });
    await first.stop();
    await until(async () => (await owners()).length === 2, { withinMs: 60_000 });
    for (let round = 0; round < 5; round++) await outbox.append(database, events.next(5));
    await until(async () => topicOf.ids().size === events.count, { withinMs: 60_000 });
    await second.stop();
    await topicOf.stop();
    expect(topicOf.faults()).toEqual([]);
    expect(topicOf.markers).toBeGreaterThan(0);
  });

  it('is done by the program delivery while no program relay runs', async (context) => {
    const { database, topic, startRelay, owners } = await open(context, '1');
    const events = new Events();
    const topicOf = await readTopic(brokers as string, topic);
    const by = (program: string) => async () => {
      const found = await owners();
      return found.length === 1 && found[0].program === program;
    };
    const copied = async () => topicOf.ids().size === events.count;
    await until(by('delivery'), { withinMs: 60_000 });
    await outbox.append(database, events.next(2));
    await until(copied, { withinMs: 60_000 });
    const relay = await startRelay();
    await until(by('relay'), { withinMs: 60_000 });
    await outbox.append(database, events.next(2));
    await until(copied, { withinMs: 60_000 });
    await relay.stop();
    await until(by('delivery'), { withinMs: 60_000 });
    await outbox.append(database, events.next(2));
    await until(copied, { withinMs: 60_000 });
    await topicOf.stop();
    expect(topicOf.faults()).toEqual([]);
  });

  it('keeps every event when the number of shards changes', async (context) => {
    const { database, topic, startRelay, owners } = await open(context, '1');
    const events = new Events();
    const topicOf = await readTopic(brokers as string, topic);
    const copied = async () => topicOf.ids().size === events.count;
    for (const shards of ['3', '2', '1']) {
      await outbox.append(database, events.next(3));
      const relay = await startRelay({ EVENT_LOG_SHARDS: shards });
      const taken = async () => {
        const found = await owners();
        return found.length === Number(shards) && found.every(({ program }) => program === 'relay');
      };
      await until(taken, { withinMs: 60_000 });
      await outbox.append(database, events.next(3));
      await until(copied, { withinMs: 60_000 });
      await relay.stop();
    }
    await topicOf.stop();
    expect(topicOf.faults()).toEqual([]);
    const { rows } = await database.query<{ consumer: string }>('SELECT consumer FROM consumer_positions');
    expect(rows).toEqual([{ consumer: 'kafka-relay' }]);
  });
});

/** Events of some keys, in order. */
class Events {
  count = 0;
  private readonly keys = Array.from({ length: KEYS }, () => ({ key: newId('wh'), sequence: 0 }));

  /** So many of each key. */
  next(each: number): RoutedEvent[] {
    this.count += each * KEYS;
    return this.keys.flatMap((one) =>
      Array.from({ length: each }, () =>
        outbox.event({
          type: 'webhook.test',
          data: { webhook_id: one.key, message: 'x' },
          accountId: newId('acc'),
          key: one.key,
          sequence: (one.sequence += 1),
          domainId: null,
          test: false,
          at: new Date(),
        }),
      ),
    );
  }
}
