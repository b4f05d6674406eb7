import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, type EventData, type RoutedEvent } from '#libs/contracts';
import { outbox } from '#libs/persistence';
import { readTopic } from '../support/fixtures/read-topic.js';
import { openLiveFixture, type LiveFixture } from '../support/live/live-fixture.js';
import type { RunningProgram } from '../support/services/program.js';
import { until } from '../support/timing/until.js';

const brokers = process.env['KAFKA_TEST_BROKERS'];
const KILLS = Number(process.env['POSTLOFT_KILLS'] ?? 50);
const KEYS = 40;
/** So many of each key at once, every 100 ms, and no more than this in all. */
const EACH = 2;
const MOST_EVENTS = 400_000;
const PREFIX = `lanes-${randomBytes(4).toString('hex')}.`;

/** Two programs copy the log to Kafka in four shards, two count the six partitions, and all are killed again and again. */
describe.skipIf(!brokers)('lanes beside kills', { timeout: 900_000 }, () => {
  let fixture: LiveFixture;
  const lanes: { name: 'relay' | 'analytics'; running: RunningProgram }[] = [];
  const keys = Array.from({ length: KEYS }, () => ({ key: newId('em'), sequence: 0 }));
  const accountId = newId('acc');
  const domainId = newId('dom');
  let written = 0;

  beforeAll(async () => {
    const settings = {
      KAFKA_BROKERS: brokers as string,
      KAFKA_TOPIC_PREFIX: PREFIX,
      KAFKA_PARTITIONS: '6',
      EVENT_LOG_SHARDS: '4',
    };
    fixture = await openLiveFixture(settings);
    for (const name of ['relay', 'relay', 'analytics', 'analytics'] as const)
      lanes.push({ name, running: await fixture.start(name) });
  }, 400_000);
  afterAll(() => fixture?.close());

  const deliveryOf = (one: { key: string; sequence: number }): RoutedEvent =>
    outbox.event({
      type: 'email.delivered',
      data: {
        id: one.key,
        email_id: one.key,
        recipient: `user${(written += 1)}@example.com`,
        tags: {},
        attempt: 1,
      } as unknown as EventData['email.delivered'],
      accountId,
      key: one.key,
      sequence: (one.sequence += 1),
      domainId,
      test: false,
      at: new Date(),
    });

  async function writeUntil(isOver: () => boolean): Promise<Set<string>> {
    const ids = new Set<string>();
    while (!isOver() && written < MOST_EVENTS) {
      const events = keys.flatMap((one) => Array.from({ length: EACH }, () => deliveryOf(one)));
      await outbox.append(fixture.database, events);
      for (const { event } of events) ids.add(event.id);
      await pause(100);
    }
    return ids;
  }

  async function killAgainAndAgain(): Promise<Record<string, number>> {
    const kills = { relay: 0, analytics: 0 };
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(Math.random() * 1_500);
      const lane = lanes[Math.floor(Math.random() * lanes.length)];
      lane.running = await fixture.killAndStart(lane.name, lane.running);
      kills[lane.name] += 1;
    }
    return kills;
  }

  async function ask(sql: string): Promise<number[]> {
    const answer = await fetch(`${fixture.front.url}/default`, { method: 'POST', body: `${sql} FORMAT TabSeparated` });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text.trim().split('\t').map(Number);
  }

  it('counts each event once, and has each in the topic in the order of its key', async () => {
    let isOver = false;
    const killing = killAgainAndAgain().finally(() => (isOver = true));
    const [ids, kills] = await Promise.all([writeUntil(() => isOver), killing]);
    const counted = () => ask('SELECT count(), uniqExact(position) FROM recipient_events');
    await until(async () => (await counted())[0] >= ids.size, { withinMs: 120_000, what: 'all events to be counted' });
    const topic = await readTopic(brokers as string, `${PREFIX}email.events.v1`);
    await until(async () => topic.ids().size >= ids.size, { withinMs: 120_000, what: 'all events in the topic' });
    // Repeated records come within this time, if there are any.
    await pause(5_000);
    await topic.stop();
    const repeats = topic.repeats();
    console.log(`${ids.size} events, kills ${JSON.stringify(kills)}, ${repeats.count} repeated records in the topic`);
    expect(await counted()).toEqual([ids.size, ids.size]);
    expect(await ask('SELECT sum(delivered) FROM recipient_counts_by_day')).toEqual([ids.size]);
    expect(topic.ids()).toEqual(ids);
    expect(topic.faults()).toEqual([]);
    expect(repeats.different).toEqual([]);
  });
});
