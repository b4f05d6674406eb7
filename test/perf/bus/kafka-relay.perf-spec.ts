import { randomBytes } from 'node:crypto';
import { OutboxRelay } from '#libs/bus';
import { newId, type EmailEventBase, type RoutedEvent } from '#libs/contracts';
import { outbox, Database } from '#libs/persistence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKafka } from '../../../tools/kafka.mjs';
import { freshDatabase } from '../../support/persistence/database.js';
import { busProcess } from '../../support/fixtures/log-harness.js';
import { until } from '../../support/timing/until.js';

const EVENTS = Number(process.env['POSTLOFT_EVENTS'] ?? 100_000);
const PER_TRANSACTION = 500;
/** Events per second of processor time of the process that copies. */
const FLOOR = 20_000;

describe('the Kafka relay', () => {
  let kafka: Awaited<ReturnType<typeof startKafka>>;
  beforeAll(async () => {
    kafka = await startKafka();
  });
  afterAll(() => kafka?.stop());

  it.each(['none', 'gzip'])('copies a backlog, compression %s', async (compression) => {
    const home = await freshDatabase(process.env['TEST_DATABASE_URL'] as string);
    const writer = await busProcess(home.url);
    const database = writer.app.get(Database);
    const at = async (sql: string) => Number((await database.query<{ position: string }>(sql)).rows[0]?.position ?? 0);
    await writer.app.get(OutboxRelay).start();
    for (let i = 0; i < EVENTS; i += PER_TRANSACTION) await outbox.append(database, deliveries(PER_TRANSACTION));
    await until(async () => (await at('SELECT position FROM event_log_head')) === EVENTS, { withinMs: 120_000 });
    await writer.stop();

    const relay = await busProcess(home.url, {
      KAFKA_BROKERS: kafka.brokers,
      KAFKA_TOPIC_PREFIX: `perf-${randomBytes(4).toString('hex')}.`,
      KAFKA_COMPRESSION: compression,
    });
    const stored = relay.app.get(Database);
    const began = { cpu: process.cpuUsage(), at: performance.now() };
    await relay.app.get(OutboxRelay).start();
    const done = async () => {
      const sql = `SELECT position FROM consumer_positions WHERE consumer = 'kafka-relay'`;
      return Number((await stored.query<{ position: string }>(sql)).rows[0]?.position ?? 0) === EVENTS;
    };
    await until(done, { withinMs: 120_000 });
    const { user, system } = process.cpuUsage(began.cpu);
    const seconds = (performance.now() - began.at) / 1_000;
    const perCore = Math.round(EVENTS / ((user + system) / 1e6));
    console.log(
      `compression ${compression}: ${perCore} events per second and core (${(1e6 / perCore).toFixed(1)} µs each), ` +
        `${Math.round(EVENTS / seconds)} per second in ${seconds.toFixed(1)} s`,
    );
    await relay.stop();
    await home.drop();
    if (compression === 'none') expect(perCore).toBeGreaterThan(FLOOR);
  });
});

function deliveries(count: number): RoutedEvent[] {
  const [accountId, domainId] = [newId('acc'), newId('dom')];
  return Array.from({ length: count }, (_, i) => {
    const key = newId('em');
    const base: EmailEventBase = {
      id: key,
      email_id: key,
      created_at: '2026-03-01T12:00:00.000Z',
      message_id: `<${key.slice(3)}@mail.example.com>`,
      from: 'Shop <orders@mail.example.com>',
      to: [`customer${i}@gmail.com`],
      subject: 'Your order has been shipped',
      tags: { campaign: 'shipping', shop: 'eu-1' },
      recipient: `customer${i}@gmail.com`,
    };
    return outbox.event({
      type: 'email.delivered',
      data: {
        ...base,
        queued_at: '2026-03-01T12:00:00.000Z',
        delivered_at: '2026-03-01T12:00:01.234Z',
        smtp_response: '250 2.0.0 OK  1772366401 5b1f17b1804b1-48380f1a2c3si12345678fac.12 - gsmtp',
        mx: 'gmail-smtp-in.l.google.com',
        ip: '142.250.27.26',
      },
      accountId,
      key,
      sequence: 3,
      domainId,
      test: false,
      at: new Date(),
    });
  });
}
