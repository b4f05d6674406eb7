import { randomBytes } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AsyncApi } from '../support/rest/async-api.js';
import { startStandalone, type RunningProgram } from '../support/services/program.js';
import { until } from '../support/timing/until.js';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.js';

const brokers = process.env['KAFKA_TEST_BROKERS'];
const TOPICS = ['email.events.v1', 'email.attempts.v1', 'webhook.deliveries.v1'] as const;
type Topic = (typeof TOPICS)[number];
const SIMULATED = ['delivered', 'bounced', 'softbounced', 'failed', 'complained', 'suppressed', 'opened', 'clicked'];

interface TopicRecord {
  topic: Topic;
  partition: number;
  key: string | null;
  headers: Record<string, string>;
  value: Record<string, unknown> & { id: string; type: string };
}
interface ListedEvent {
  id: string;
  type: string;
  created_at: string;
  data: Record<string, unknown>;
}

describe.skipIf(!brokers)('the records on Kafka', () => {
  const prefix = `test-${randomBytes(4).toString('hex')}.`;
  const records: TopicRecord[] = [];
  const of = (topic: Topic) => records.filter((record) => record.topic === topic);
  const events = () => of('email.events.v1').filter(({ value }) => value.type !== 'log.position');
  let program: RunningProgram;
  let receiver: WebhookReceiver;
  let stopReading: () => Promise<void>;
  let webhookId: string;
  let listed: ListedEvent[];

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    program = await startStandalone({
      KAFKA_BROKERS: brokers as string,
      KAFKA_TOPIC_PREFIX: prefix,
      KAFKA_PARTITIONS: '3',
      KAFKA_RETENTION: '2d',
      KAFKA_COMPRESSION: 'gzip',
      WEBHOOK_RETRY_SCHEDULE: '200ms,200ms',
    });
    stopReading = await readTopics(prefix, records);
    receiver.script('/hook', 500, 'reset', 200);
    webhookId = (await post('/webhooks', { url: receiver.url('/hook'), events: ['*'] })).id;
    await act();
    // Simulated reports come after the delivery.
    const all = EXPECTED_TYPES.filter((type) => !UNLISTED_TYPES.includes(type));
    listed = await until(async () => {
      const found = await allEvents();
      return all.every((type) => found.some((event) => event.type === type)) && found;
    });
    await until(async () => new Set(events().map(({ value }) => value.id)).size >= listed.length, {
      what: 'the events',
    });
    await until(async () => of('email.attempts.v1').length >= 7, { what: 'the attempts' });
    await until(async () => of('webhook.deliveries.v1').length >= 12, { what: 'the webhook deliveries' });
  });
  afterAll(async () => {
    await stopReading?.();
    await program?.stop();
    program?.clean();
    await receiver?.close();
  });

  async function post(path: string, body: unknown = {}): Promise<{ id: string }> {
    const answer = await program.call('POST', path, body);
    expect(answer.ok, `${path} ${await answer.clone().text()}`).toBe(true);
    return (await answer.json()) as { id: string };
  }

  /** Everything that makes an event. */
  async function act(): Promise<void> {
    const from = 'Shop <orders@sandbox.postloft.test>';
    const mail = { from, subject: 'Order', text: 'Thank you.', html: '<a href="https://shop.example/">Shop</a>' };
    for (const outcome of SIMULATED) await post('/emails', { ...mail, to: [`${outcome}@sim.postloft.test`] });
    await post('/emails', { ...mail, to: ['ada@example.com'], tags: [{ name: 'campaign', value: 'spring' }] });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await post('/emails', { ...mail, to: ['bob@example.com'], scheduled_at: later });
    await post(`/emails/${id}/cancel`);
    const suppression = await post('/suppressions', { email: 'gone@example.com' });
    await program.call('DELETE', `/suppressions/${suppression.id}`);
    const domain = await post('/domains', { name: 'shop.example.org' });
    await program.call('DELETE', `/domains/${domain.id}`);
    await post(`/webhooks/${webhookId}/test`);
  }

  async function allEvents(): Promise<ListedEvent[]> {
    const answer = await program.call('GET', '/events?limit=100');
    return ((await answer.json()) as { data: ListedEvent[] }).data;
  }

  it('are the events of the log, with the same ids', () => {
    const byId = new Map(events().map((record) => [record.value.id, record]));
    for (const { id, type, created_at, data } of listed) {
      const record = byId.get(id);
      expect(record?.value).toMatchObject({ id, type, created_at, data, schema_version: 1 });
      expect(record?.headers).toEqual({ 'event-id': id, 'event-type': type });
      if (type.startsWith('email.')) expect(record?.key).toBe(data['email_id']);
    }
  });

  it('keep the order of each key, and have every position once', () => {
    const partitions = new Map<string, number>();
    const sequences = new Map<string, number>();
    for (const { key, partition, value } of events()) {
      expect(partitions.get(key as string) ?? partition).toBe(partition);
      partitions.set(key as string, partition);
      expect(value['sequence']).toBe((sequences.get(key as string) ?? 0) + 1);
      sequences.set(key as string, value['sequence'] as number);
    }
    const positions = events().map(({ value }) => value['position'] as number);
    expect(positions.sort((a, b) => a - b)).toEqual(Array.from({ length: positions.length }, (_, i) => i + 1));
  });

  it('say in every partition how far it is complete', async () => {
    const last = Math.max(...events().map(({ value }) => value['position'] as number));
    const marks = () => of('email.events.v1').filter(({ value }) => value.type === 'log.position');
    await until(async () => {
      const complete = marks().filter(({ value }) => (value['position'] as number) >= last);
      return new Set(complete.map(({ partition }) => partition)).size === 3;
    });
    const marked = [0, 0, 0];
    for (const { partition, value } of of('email.events.v1'))
      if (value.type === 'log.position') marked[partition] = value['position'] as number;
      else expect(value['position']).toBeGreaterThan(marked[partition]);
  });

  it('have every attempt to deliver', () => {
    const attempts = of('email.attempts.v1');
    for (const { key, headers, value } of attempts) {
      expect(key).toBe(value['email_id']);
      expect(headers).toEqual({ 'event-id': value.id, 'event-type': 'email.attempt' });
    }
    const outcomes = attempts.map(({ value }) => `${String(value['outcome'])} ${String(value['bounce_class'])}`);
    expect(outcomes).toContain('delivered null');
    expect(outcomes).toContain('bounced invalid_recipient');
    expect(outcomes).toContain('bounced quota');
    expect(new Set(attempts.map(({ value }) => value.id)).size).toBe(attempts.length);
  });

  it('have every request to an endpoint', () => {
    const requests = of('webhook.deliveries.v1');
    for (const { key, headers, value } of requests) {
      expect(key).toBe(webhookId);
      expect(headers).toEqual({ 'event-id': value.id, 'event-type': 'webhook.delivery' });
    }
    expect(requests.map(({ value }) => value['status'])).toContain(500);
    expect(requests.some(({ value }) => value['status'] === null && value['error'] !== null)).toBe(true);
    const repeated = requests.find(({ value }) => value['attempt'] === 2);
    expect(requests.some(({ value }) => value.id === repeated?.value.id && value['attempt'] === 1)).toBe(true);
  });

  it('are described by asyncapi.yaml, all of them and nothing else in them', () => {
    const document = AsyncApi.strict();
    const types = new Set<string>();
    for (const record of records) {
      expect(document.problems(record.topic, record), JSON.stringify(record)).toEqual([]);
      types.add(record.headers['event-type']);
    }
    expect(EXPECTED_TYPES.filter((type) => !types.has(type))).toEqual([]);
  });

  it('are in topics with the partitions and the retention of the settings', async () => {
    const admin = new Kafka({ brokers: [brokers as string], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    for (const topic of TOPICS) {
      expect(await admin.fetchTopicOffsets(prefix + topic)).toHaveLength(3);
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: 2, name: prefix + topic, configNames: ['retention.ms'] }],
      });
      expect(resources[0].configEntries[0].configValue).toBe(String(2 * 86_400_000));
    }
    await admin.disconnect();
  });
});

it.runIf(process.env['POSTLOFT_REQUIRE_ENGINES'] === '1')('has a Kafka broker to run on', () =>
  expect(brokers).toBeTruthy(),
);

/** Of records that are no events. */
const UNLISTED_TYPES = ['log.position', 'email.attempt', 'webhook.delivery'];
const EXPECTED_TYPES = [
  ...['email.queued', 'email.scheduled', 'email.sent', 'email.delivered', 'email.bounced', 'email.failed'],
  ...['email.opened', 'email.clicked', 'email.complained', 'email.suppressed', 'email.canceled'],
  ...['domain.created', 'domain.deleted', 'suppression.added', 'suppression.removed', 'webhook.test'],
  ...UNLISTED_TYPES,
];

/** Appends all records of the topics as they come; returns the function that ends it. */
async function readTopics(prefix: string, into: TopicRecord[]): Promise<() => Promise<void>> {
  const kafka = new Kafka({ brokers: [brokers as string], logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: `${prefix}contract`, maxWaitTimeInMs: 200 });
  await consumer.connect();
  // A consumer that begins before its topics exist learns of them minutes later.
  const topics = TOPICS.map((topic) => prefix + topic);
  const admin = kafka.admin();
  await admin.connect();
  await until(async () => {
    const existing = new Set(await admin.listTopics());
    return topics.every((topic) => existing.has(topic));
  });
  await admin.disconnect();
  await consumer.subscribe({ topics, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ topic, partition, message }) => {
      into.push({
        topic: topic.slice(prefix.length) as Topic,
        partition,
        key: message.key?.toString() ?? null,
        headers: Object.fromEntries(
          Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]),
        ),
        value: JSON.parse(String(message.value)) as TopicRecord['value'],
      });
    },
  });
  return () => consumer.disconnect();
}
