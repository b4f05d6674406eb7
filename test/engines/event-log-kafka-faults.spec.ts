import { randomBytes } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { describe, expect, it, vi, type TestContext } from 'vitest';
import { newId, type LoggedEvent, type RoutedEvent } from '#libs/contracts';
import { LiveLog, OutboxRelay, type EventBatch } from '#libs/bus';
import { Log } from '#libs/kernel';
import { outbox, Database } from '#libs/persistence';
import { startKafka, type RunningKafka } from '../../tools/kafka.mjs';
import { freshDatabase } from '../support/persistence/database.js';
import { busProcess } from '../support/fixtures/log-harness.js';
import { until } from '../support/timing/until.js';

type Process = Awaited<ReturnType<typeof busProcess>>;

const brokers = process.env['KAFKA_TEST_BROKERS'];

describe.skipIf(!brokers)('the event log of Kafka, when something breaks', { timeout: 120_000 }, () => {
  /** A database of the test's own; what is started on it ends with the test. */
  async function open({ onTestFinished }: TestContext) {
    const home = await freshDatabase(process.env['TEST_DATABASE_URL'] as string);
    const processes = new Set<Process>();
    onTestFinished(async () => {
      await Promise.all([...processes].map((one) => one.stop()));
      await home.drop();
    });
    return async (settings: Record<string, string>) => {
      const one = await busProcess(home.url, settings);
      processes.add(one);
      const stop = () => {
        processes.delete(one);
        return one.stop();
      };
      return { ...one, stop, database: one.app.get(Database) };
    };
  }
  const ownTopic = (at: string) => ({
    KAFKA_BROKERS: at,
    KAFKA_TOPIC_PREFIX: `test-${randomBytes(4).toString('hex')}.`,
  });

  it('repeats a batch that was begun even when it comes in pieces', async (context) => {
    const start = await open(context);
    const settings = ownTopic(brokers as string);
    const first = await start(settings);
    await first.app.get(OutboxRelay).start();
    // 2.4 MB of one key: a fetch of one partition ends at 1 MiB.
    const events = eventsOfOneMail(600, 'x'.repeat(4_000));
    for (let i = 0; i < events.length; i += 100) await outbox.append(first.database, events.slice(i, i + 100));
    const probe = new Set<string>();
    let source = '';
    await first.log.consume({
      consumer: 'probe',
      batchSize: 1_000,
      handle: async (batch) => {
        source = batch.source;
        for (const { event } of batch.events) probe.add(event.id);
      },
    });
    await until(async () => probe.size === 600, { withinMs: 30_000 });
    await first.database.query('INSERT INTO sink_batches (source, first_position, last_position) VALUES ($1, 0, 549)', [
      `sink:${source}`,
    ]);
    const batches: EventBatch[] = [];
    await first.log.consume({
      consumer: 'sink',
      batchSize: 40,
      recordBoundaries: true,
      handle: async (batch) => {
        batches.push(batch);
      },
    });
    const seen = () => batches.flatMap((batch) => batch.events.map(({ event }) => event.id));
    await until(async () => seen().length >= 600, { withinMs: 30_000 });
    expect([batches[0].first, batches[0].last]).toEqual([0, 549]);
    // Some of the 550 records may be positions.
    expect(batches[0].events.length).toBeGreaterThan(500);
    expect(seen()).toEqual(events.map(({ event }) => event.id));
  });

  it('leaves out a record that somebody else wrote and goes on', async (context) => {
    const start = await open(context);
    const settings = ownTopic(brokers as string);
    const one = await start(settings);
    await one.app.get(OutboxRelay).start();
    const seen: LoggedEvent[] = [];
    await one.log.consume({
      consumer: 'reader',
      batchSize: 10,
      handle: async ({ events }) => {
        seen.push(...events);
      },
    });
    const events = eventsOfOneMail(1);
    await outbox.append(one.database, events);
    await until(async () => seen.length === 1);
    const producer = new Kafka({ brokers: [brokers as string], logLevel: logLevel.NOTHING }).producer();
    await producer.connect();
    const topic = `${settings.KAFKA_TOPIC_PREFIX}email.events.v1`;
    await producer.send({ topic, messages: [{ key: events[0].key, value: 'not json' }] });
    await producer.disconnect();
    const later = eventsOfOneMail(3);
    await outbox.append(one.database, later);
    await until(async () => seen.length === 4);
  });

  // They wait for their brokers most of the time.
  describe.concurrent('with a broker that breaks', () => {
    async function openBroker({ onTestFinished }: TestContext): Promise<RunningKafka> {
      const kafka = await startKafka();
      onTestFinished(() => kafka.stop());
      return kafka;
    }

    it('goes on after the broker was killed and after it was frozen, and nothing else waits for it', async (context) => {
      const [start, kafka] = [await open(context), await openBroker(context)];
      const settings = ownTopic(kafka.brokers);
      const one = await start(settings);
      const { database } = one;
      await one.app.get(OutboxRelay).start();
      const live = one.app.get(LiveLog);
      const seen: LoggedEvent[] = [];
      const consumer = {
        consumer: 'reader',
        batchSize: 50,
        handle: async ({ events }: EventBatch) => {
          seen.push(...events);
        },
      };
      await one.log.consume(consumer);
      const all: RoutedEvent[] = [];
      const append = async (mails: number) => {
        for (let i = 0; i < mails; i++) {
          const events = eventsOfOneMail(5);
          all.push(...events);
          await outbox.append(database, events);
        }
      };
      const everything = async () => {
        const ids = new Set(seen.map(({ event }) => event.id));
        return all.every(({ event }) => ids.has(event.id));
      };
      await append(10);
      await until(everything, { withinMs: 20_000 });

      const back = kafka.restart({ hard: true });
      await append(20);
      await until(async () => (await live.head()) === all.length, { withinMs: 10_000 });
      await back;
      await append(10);
      await until(everything, { withinMs: 40_000 });

      kafka.freeze();
      await append(20);
      await until(async () => (await live.head()) === all.length, { withinMs: 10_000 });
      await new Promise((resolve) => setTimeout(resolve, 12_000));
      kafka.thaw();
      await until(everything, { withinMs: 40_000 });
      expect(disorder(seen)).toEqual([]);
    });

    it('stops in time while the broker does not answer, and carries the rest later', async (context) => {
      const [start, kafka] = [await open(context), await openBroker(context)];
      const settings = ownTopic(kafka.brokers);
      const one = await start(settings);
      await one.app.get(OutboxRelay).start();
      const seen = new Set<string>();
      const consumer = {
        consumer: 'reader',
        batchSize: 50,
        handle: async ({ events }: EventBatch) => {
          for (const { event } of events) seen.add(event.id);
        },
      };
      await one.log.consume(consumer);
      const early = eventsOfOneMail(1);
      await outbox.append(one.database, early);
      await until(async () => seen.has(early[0].event.id), { withinMs: 20_000 });
      kafka.freeze();
      const late = eventsOfOneMail(10);
      await outbox.append(one.database, late);
      await until(async () => (await one.app.get(LiveLog).head()) === 11);
      const warned = vi.spyOn(Log.prototype, 'warn');
      await one.stop();
      // While the broker is still frozen, and without leaving a part behind.
      expect(warned).not.toHaveBeenCalledWith('part did not stop in time', expect.anything());
      warned.mockRestore();
      kafka.thaw();
      const two = await start(settings);
      await two.app.get(OutboxRelay).start();
      await two.log.consume(consumer);
      await until(async () => late.every(({ event }) => seen.has(event.id)), { withinMs: 60_000 });
    });
  });
});

/** Events whose first sight came after a later event of their key. */
function disorder(seen: LoggedEvent[]): string[] {
  const latest = new Map<string, number>();
  const known = new Set<string>();
  return seen.flatMap(({ key, sequence, event }) => {
    if (known.has(event.id)) return [];
    known.add(event.id);
    const before = latest.get(key) ?? 0;
    latest.set(key, Math.max(before, sequence));
    return sequence < before ? [event.id] : [];
  });
}

function eventsOfOneMail(count: number, message = 'hello'): RoutedEvent[] {
  const key = newId('wh');
  const [accountId, domainId] = [newId('acc'), newId('dom')];
  return Array.from({ length: count }, (_, i) =>
    outbox.event({
      type: 'webhook.test',
      data: { webhook_id: key, message },
      accountId,
      key,
      sequence: i + 1,
      domainId,
      test: false,
      at: new Date(),
    }),
  );
}
