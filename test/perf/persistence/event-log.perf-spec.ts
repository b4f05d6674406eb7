import { readFileSync } from 'node:fs';
import { LiveLog, OutboxRelay } from '#libs/bus';
import { newId, type RoutedEvent } from '#libs/contracts';
import { outbox, Database } from '#libs/persistence';
import { expect, it } from 'vitest';
import { freshDatabase } from '../../support/persistence/database.js';
import { busProcess } from '../../support/fixtures/log-harness.js';
import { until } from '../../support/timing/until.js';

const EVENTS = Number(process.env['POSTLOFT_EVENTS'] ?? 60_000);
const ACCOUNTS = 50;
const MAX_BYTES = 700;
const TICKS_PER_S = 100;

const accounts = Array.from({ length: ACCOUNTS }, () => ({
  id: newId('acc'),
  domain: newId('dom'),
  key: newId('key'),
}));

function eventsOf(message: number): RoutedEvent[] {
  const account = accounts[message % ACCOUNTS];
  const key = newId('em');
  const at = new Date();
  return (['email.queued', 'email.sent', 'email.delivered'] as const).map((type, i) =>
    outbox.event({
      type,
      data: {
        id: key,
        email_id: key,
        created_at: at.toISOString(),
        message_id: `<${key.slice(3)}@shop.example>`,
        from: 'Shop <orders@shop.example>',
        to: [`customer${message}@mail.example`],
        subject: `Your order ${message} has been shipped`,
        tags: { kind: 'order' },
        recipient: `customer${message}@mail.example`,
        attempt: 1,
      },
      ...{
        accountId: account.id,
        key,
        sequence: i + 1,
        domainId: account.domain,
        apiKeyId: account.key,
        test: false,
        at,
      },
    }),
  );
}

function processorTime(pid: number): number {
  const [, fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) / TICKS_PER_S;
}

it.each([21, 3])('moves events in outbox rows of %i, at most 0.7 KB each', { timeout: 600_000 }, async (perRow) => {
  const { url, drop } = await freshDatabase(process.env['TEST_DATABASE_URL'] ?? '');
  const writer = await busProcess(url);
  const messages = EVENTS / 3;
  for (let i = 0; i < messages; i += perRow / 3)
    await outbox.append(writer.app.get(Database), Array.from({ length: perRow / 3 }, (_, j) => eventsOf(i + j)).flat());
  await writer.stop();
  // Connections of its own, so that the processor time of the sequencer is all that its connection has used.
  const { app, stop } = await busProcess(url);
  const database = app.get(Database);
  const one = async <R>(text: string) => (await database.query<R>(text)).rows[0];
  const { lsn } = await one<{ lsn: string }>('SELECT pg_current_wal_lsn() AS lsn');
  await app.get(OutboxRelay).start();
  await until(async () => (await app.get(LiveLog).head()) >= EVENTS, { withinMs: 300_000 });
  const { pid } = await one<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'EXECUTE may_move%' LIMIT 1`,
  );
  const seconds = processorTime(pid);
  const { wal } = await one<{ wal: number }>(`SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '${lsn}')::float AS wal`);
  const { bytes } = await one<{ bytes: number }>(
    `SELECT sum(pg_total_relation_size(inhrelid))::float AS bytes FROM pg_inherits
      WHERE inhparent IN ('event_log'::regclass, 'event_log_accounts'::regclass)`,
  );
  const head = await app.get(LiveLog).head();
  await stop();
  await drop();
  console.log(
    `rows of ${perRow}: ${((seconds * 1e6) / head).toFixed(1)} µs of processor time, ${(wal / head).toFixed(0)} B of WAL, ${(bytes / head).toFixed(0)} B stored per event`,
  );
  expect(bytes / head).toBeLessThan(MAX_BYTES);
});
