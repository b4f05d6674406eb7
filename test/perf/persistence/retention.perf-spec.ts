import { readFileSync } from 'node:fs';
import { lowestIdAt } from '#libs/contracts';
import { Partitions, startOfDay } from '#libs/persistence';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

const MESSAGES = Number(process.env['POSTLOFT_EXPIRED'] ?? 1_000_000);
const DAY_MS = 86_400_000;
const TICKS_PER_S = 100;

let db: OpenTestDatabase;
let backend: number;

beforeAll(async () => {
  // One connection, whose processor time is that of the database.
  db = await createTestDatabase([], 1);
  await db.database.query('SET statement_timeout = 0');
  backend = (await db.database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0].pid;
}, 600_000);
afterAll(() => db?.close());

/** Processor time of the connection, in seconds. */
function processorTime(): number {
  const [, fields] = readFileSync(`/proc/${backend}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) / TICKS_PER_S;
}

it(
  `deletes what belongs to ${MESSAGES} expired messages in under a second of processor time`,
  { timeout: 900_000 },
  async () => {
    const day = startOfDay(new Date(Date.now() - 95 * DAY_MS));
    const partitions = new Partitions(db.database);
    await partitions.createAhead(day, (_, error) => expect.unreachable(String(error)), 1);
    const id = (prefix: 'em' | 'log') => `'${lowestIdAt(prefix, day).slice(0, -20)}' || lpad(to_hex(i), 20, '0')`;
    const fill = (into: string, values: string) =>
      db.database.query(`INSERT INTO ${into} SELECT ${values} FROM generate_series(1, ${MESSAGES}) AS i`);
    await fill('email_contents (email_id, format, body)', `${id('em')}, 'parts', decode(md5(i::text), 'hex')`);
    await fill(
      'attempts (id, email_id, ordinal, number, outcome, smtp_text, mx, started_at, ended_at)',
      `'atm_' || lpad(to_hex(i), 32, '0'), ${id('em')}, 0, 1, 'delivered', '250 2.0.0 Ok: queued', 'mx.example.net', now(), now()`,
    );
    await fill(
      'request_log (id, account_id, api_key_id, request_id, method, path, status, latency_ms, created_at)',
      `${id('log')}, 'acc_1', 'key_1', 'req_' || i, 'POST', '/emails', 201, 5, now()`,
    );
    // Three events per message, in batches of 60.
    await db.database.query(
      `INSERT INTO event_log (first_position, count, moved_at, event_ids, event_id, key, sequence, account_id, domain_id, api_key_id,
                            type, test, created_at, data)
     SELECT i * 60 + 1, 60, $1::timestamptz + i * interval '1 ms', event_id_range('evt_' || i, 'evt_' || i, '[]'),
            array_fill('evt_' || i, ARRAY[60]), ARRAY(SELECT 'em_' || (i * 20 + j / 3) FROM generate_series(0, 59) AS j),
            array_fill(1, ARRAY[60]), array_fill('acc_1'::text, ARRAY[60]), array_fill('dom_1'::text, ARRAY[60]),
            array_fill(NULL::text, ARRAY[60]), array_fill('email.sent'::text, ARRAY[60]), array_fill(false, ARRAY[60]),
            array_fill(now(), ARRAY[60]), array_fill(json_build_object('padding', repeat('x', 400))::jsonb, ARRAY[60])::json[]
       FROM generate_series(1, ${MESSAGES} / 20) AS i`,
      [day],
    );
    const now = new Date();
    const began = { processor: processorTime(), wall: performance.now() };
    const dropped: string[] = [];
    for (const table of ['event_log_accounts', 'event_log', 'request_log', 'attempts', 'email_contents'] as const)
      dropped.push(...(await partitions.expire(table, new Date(now.getTime() - 91 * DAY_MS))).dropped);
    const seconds = processorTime() - began.processor;
    console.log(
      `${dropped.length} partitions dropped: ${seconds.toFixed(2)} s of processor time, ${((performance.now() - began.wall) / 1_000).toFixed(2)} s`,
    );
    expect(dropped).toHaveLength(10);
    expect(seconds).toBeLessThan(1);
  },
);
