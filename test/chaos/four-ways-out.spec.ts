import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel, type Consumer } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startClickhouseFront, type ClickhouseFront } from '../support/stats/clickhouse-front.js';
import { freshDatabase, type TestDatabase } from '../support/persistence/database.js';
import { expectExactRollups } from '../support/stats/exact-rollups.js';
import { TcpProxy } from '../support/proxies/tcp-proxy.js';
import type { RunningProgram } from '../support/services/program.js';
import { launch } from '../support/services/program.js';
import { launchOne } from '../support/services/distributed.js';
import { until } from '../support/timing/until.js';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.js';

const brokers = process.env['KAFKA_TEST_BROKERS'];
const MESSAGES = Number(process.env['POSTLOFT_MESSAGES'] ?? 10_000);
const KILLS = Number(process.env['POSTLOFT_KILLS'] ?? 50);
const BATCH = 100;
const OUTCOMES = ['delivered', 'bounced', 'softbounced', 'failed', 'complained', 'suppressed', 'opened', 'clicked'];
/** The last event of a message with an outcome. */
const LAST_EVENT: Record<string, string> = {
  delivered: 'email.delivered',
  bounced: 'email.bounced',
  softbounced: 'email.bounced',
  failed: 'email.failed',
  complained: 'email.complained',
  suppressed: 'email.suppressed',
  opened: 'email.opened',
  clicked: 'email.clicked',
};
const PATIENCE = { withinMs: 3_600_000, everyMs: 2_000 };

/** Ids of the events of each message, in order. */
type Histories = Record<string, string[]>;

/** Webhooks, Kafka, `GET /events` and statistics tell the same, whatever happens to the program that writes statistics. */
describe.skipIf(!brokers)('four ways out', { timeout: 7_200_000 }, () => {
  const prefix = `test-${randomBytes(4).toString('hex')}.`;
  const topic = `${prefix}email.events.v1`;
  const kafka = new Kafka({ brokers: [brokers ?? ''], logLevel: logLevel.NOTHING });
  const dir = mkdtempSync(join(tmpdir(), 'four-ways-'));
  const fromKafka: Histories = {};
  const seenInKafka = new Set<string>();
  let home: TestDatabase;
  let front: ClickhouseFront;
  let proxy: TcpProxy;
  let receiver: WebhookReceiver;
  let gateway: RunningProgram;
  let sink: RunningProgram;
  let others: RunningProgram[];
  let reader: Consumer;

  beforeAll(async () => {
    chmodSync(dir, 0o755);
    home = await freshDatabase(process.env['TEST_DATABASE_URL'] as string);
    front = await startClickhouseFront({ path: join(dir, 'clickhouse') });
    proxy = await TcpProxy.start(front.url);
    receiver = await WebhookReceiver.start();
    const start = (name: 'gateway' | 'delivery' | 'webhooks' | 'analytics', url: string) =>
      launchOne(name, dir, {
        DATABASE_URL: home.url,
        CLICKHOUSE_URL: `${url}/default`,
        KAFKA_BROKERS: brokers as string,
        KAFKA_TOPIC_PREFIX: prefix,
        KAFKA_PARTITIONS: '3',
      });
    gateway = await start('gateway', front.url);
    others = [await start('delivery', front.url), await start('webhooks', front.url)];
    sink = await start('analytics', proxy.url);
    await post('/webhooks', { url: receiver.url('/hook'), events: ['*'] });
    reader = kafka.consumer({ groupId: `${prefix}reader` });
    await reader.connect();
    await reader.subscribe({ topics: [topic], fromBeginning: true });
    await reader.run({
      eachMessage: async ({ message }) => {
        const { id, type } = JSON.parse(String(message.value)) as { id: string; type: string };
        if (!type.startsWith('email.') || seenInKafka.has(id)) return;
        seenInKafka.add(id);
        (fromKafka[String(message.key)] ??= []).push(id);
      },
    });
  });
  afterAll(async () => {
    await reader?.disconnect();
    await Promise.all([gateway, sink, ...(others ?? [])].map((program) => program?.stop()));
    await proxy?.close();
    await front?.stop();
    await receiver?.close();
    await home?.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function post(path: string, body: unknown): Promise<void> {
    const answer = await gateway.call('POST', path, body);
    expect(answer.ok, `${path} ${await answer.clone().text()}`).toBe(true);
  }
  async function send(from: number, to: number): Promise<void> {
    const mails = Array.from({ length: to - from }, (_, i) => ({
      from: 'Shop <orders@sandbox.postloft.test>',
      to: [`${OUTCOMES[(from + i) % OUTCOMES.length]}+${from + i}@sim.postloft.test`],
      ...{ subject: 'Order', html: '<a href="https://shop.example/">Shop</a>' },
      tags: [{ name: 'campaign', value: `c${(from + i) % 7}` }],
    }));
    for (let i = 0; i < mails.length; i += BATCH) await post('/emails/batch', mails.slice(i, i + BATCH));
  }

  /** Events of `GET /events` by message, and their number by type. */
  async function fromApi(): Promise<{ histories: Histories; types: Record<string, number>; total: number }> {
    const [histories, types]: [Histories, Record<string, number>] = [{}, {}];
    let total = 0;
    for (let after: string | null = ''; after !== null;) {
      const answer = await gateway.call('GET', `/events?limit=100${after && `&after=${after}`}`);
      const page = (await answer.json()) as {
        data: { id: string; type: string; data: { email_id?: string } }[];
        has_more: boolean;
        next_cursor: string | null;
      };
      for (const { id, type, data } of page.data) {
        if (!type.startsWith('email.') || data.email_id === undefined) continue;
        total += 1;
        types[type] = (types[type] ?? 0) + 1;
        (histories[data.email_id] ??= []).push(id);
      }
      after = page.has_more ? page.next_cursor : null;
    }
    return { histories, types, total };
  }
  function fromWebhooks(): Histories {
    const bySequence: Record<string, Map<string, number>> = {};
    for (const { headers, body } of receiver.callsTo('/hook')) {
      const { type, data } = JSON.parse(body) as { type: string; data: { email_id?: string } };
      if (!type.startsWith('email.') || data.email_id === undefined) continue;
      const sequence = Number(headers['x-service-sequence']);
      (bySequence[data.email_id] ??= new Map()).set(String(headers['webhook-id']), sequence);
    }
    return Object.fromEntries(
      Object.entries(bySequence).map(([email, events]) => [
        email,
        [...events].sort(([, a], [, b]) => a - b).map(([id]) => id),
      ]),
    );
  }
  async function select(query: string): Promise<Record<string, string>[]> {
    const address = `${front.url}/?database=default&default_format=JSONEachRow`;
    const answer = await fetch(address, { method: 'POST', body: query });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, string>);
  }
  async function fromStatistics(): Promise<Histories> {
    const histories: Histories = {};
    const rows = await select(
      'SELECT toString(event_id) AS event, toString(email_id) AS email FROM recipient_events ORDER BY position',
    );
    const idOf = (prefixOf: string, uuid: string) => `${prefixOf}_${uuid.replaceAll('-', '')}`;
    for (const { event, email } of rows) (histories[idOf('em', email)] ??= []).push(idOf('evt', event));
    return histories;
  }
  const settled = async (messages: number) => {
    const { types } = await fromApi();
    const wanted: Record<string, number> = {};
    for (let i = 0; i < messages; i++) {
      const type = LAST_EVENT[OUTCOMES[i % OUTCOMES.length]];
      wanted[type] = (wanted[type] ?? 0) + 1;
    }
    return Object.entries(wanted).every(([type, count]) => (types[type] ?? 0) >= count);
  };
  const storedEvents = async () =>
    Number((await select('SELECT count() AS events FROM recipient_events'))[0]['events']);

  async function expectEqualWaysOut(): Promise<number> {
    const { histories, types, total } = await fromApi();
    await until(async () => seenInKafka.size >= total, { ...PATIENCE, what: 'the records' });
    await until(async () => (await storedEvents()) >= total, { ...PATIENCE, what: 'the statistics' });
    await until(async () => eventsIn(fromWebhooks()) >= total, { ...PATIENCE, what: 'the webhooks' });
    expect(differences(histories, fromKafka)).toEqual([]);
    expect(differences(histories, fromWebhooks())).toEqual([]);
    expect(differences(histories, await fromStatistics())).toEqual([]);
    await expectExactRollups(select);
    const answer = await gateway.call('GET', '/stats?metrics=accepted,delivered,complained,suppressed,opened,clicked');
    const { totals } = (await answer.json()) as { totals: Record<string, number> };
    expect(totals).toEqual({
      accepted: types['email.queued'],
      delivered: types['email.delivered'],
      complained: types['email.complained'],
      suppressed: types['email.suppressed'],
      opened: types['email.opened'],
      clicked: types['email.clicked'],
    });
    return total;
  }

  it(`tell the same of ${MESSAGES} messages`, async () => {
    await send(0, MESSAGES);
    await until(() => settled(MESSAGES), { ...PATIENCE, what: 'the last events' });
    console.log(`${MESSAGES} messages: ${await expectEqualWaysOut()} events`);
  });

  it(`tell the same after the offsets were set to zero twice, and ${KILLS} kills between insert and commit`, async () => {
    const [{ identity }] = await select(
      "SELECT toString(uuid) AS identity FROM system.tables WHERE name = 'recipient_events' AND database = 'front'",
    );
    const groupId = `${prefix}analytics-${identity}`;
    const again = () => launch('analytics', sink.env, { readyUrl: `http://127.0.0.1:${sink.env['OPS_PORT']}/healthz` });
    let sent = MESSAGES;
    for (let kill = 0; kill < KILLS; kill++) {
      const stored = proxy.loseAnswer({
        request: /INSERT(?: |\+|%20)INTO(?: |\+|%20)recipient_events/,
        answer: /^HTTP\/1\.1 200/,
        then: 'silence',
      });
      await send(sent, sent + BATCH / 4);
      sent += BATCH / 4;
      await stored;
      await sink.kill();
      if (kill === Math.floor(KILLS / 3) || kill === Math.floor((KILLS * 2) / 3)) await setBack(groupId);
      sink = await again();
    }
    await until(() => settled(sent), { ...PATIENCE, what: 'the last events' });
    console.log(`${KILLS} kills, ${sent} messages: ${await expectEqualWaysOut()} events`);
  });

  /** When the broker has noticed that the killed member is gone. */
  async function setBack(groupId: string): Promise<void> {
    const admin = kafka.admin();
    await admin.connect();
    await until(
      async () => {
        await admin.resetOffsets({ groupId, topic, earliest: true });
        return true;
      },
      { withinMs: 60_000, everyMs: 1_000 },
    );
    const [{ partitions }] = await admin.fetchOffsets({ groupId, topics: [topic] });
    expect(partitions.map(({ offset }) => Number(offset)).every((offset) => offset <= 0)).toBe(true);
    await admin.disconnect();
  }
});

const eventsIn = (histories: Histories): number => Object.values(histories).reduce((sum, ids) => sum + ids.length, 0);

/** The messages whose events are others, or in another order. */
function differences(expected: Histories, found: Histories): object[] {
  const emails = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...emails].flatMap((email) => {
    const [is, shouldBe] = [found[email]?.join(' '), expected[email]?.join(' ')];
    return is === shouldBe ? [] : [{ email, is, shouldBe }];
  });
}
