import { Health, Log, Metrics, Shutdown } from '#libs/kernel';
import { Database, Worker } from '#libs/persistence';
import { HeldQueues, QueueDepths } from '#libs/queue';
import { SharedThrottling } from '../../../libs/queue/src/throttling/shared-throttling.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testConfig } from '../../support/persistence/database.js';
import {
  begin,
  bounced,
  deferred,
  DELIVERED,
  GOOGLE,
  SENDER,
  YAHOO,
} from '../../support/delivery/throttling-fixture.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';
import { dataSourceOptions } from '../../../libs/persistence/src/persistence.module.js';

/** One delivery process: a pool, a worker and a shaping of its own. */
interface Process {
  shared: SharedThrottling;
  metrics: Metrics;
  dataSource: DataSource;
  /** The log. */
  lines: Record<string, unknown>[];
  stop(): Promise<void>;
}

const NEW = '192.0.2.1';
const TSS04 = deferred('421 4.7.0 [TSS04] mail from 192.0.2.9 <ann@example.com> deferred', 'mail');
const INSERT = `INSERT INTO recipients (email_id, ordinal, address, domain, type, status, due_at, expires_at, wait_reason)
                VALUES ($1, 0, 'a@b.example', $2, 'to', 'queued', $3, now() + interval '3 days', $4)`;

const HELD_BY = (queue: string) =>
  JSON.stringify({ kind: 'suspended', queue, source: null, text: '', words: null, mx: null });

let db: OpenTestDatabase;
let folder: string;
const processes: Process[] = [];

beforeAll(async () => {
  db = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'shaping-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await db?.close();
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map((one) => one.stop()));
  await db.database.query('TRUNCATE throttling_states, warmup_counts, recipients');
});

async function start(file?: object): Promise<Process> {
  const path = join(folder, 'shaping.json');
  if (file) writeFileSync(path, JSON.stringify(file));
  const config = testConfig(db.url, file ? { SHAPING_FILE: path } : {});
  const lines: Record<string, unknown>[] = [];
  const log = new Log(pino({}, { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) }));
  const shutdown = new Shutdown(log);
  const metrics = new Metrics();
  const dataSource = await new DataSource(dataSourceOptions(config, log)).initialize();
  const database = new Database(dataSource);
  await new Worker(database, config, log, shutdown).register();
  const shared = new SharedThrottling(database, config, log, new Health(log), metrics, shutdown);
  let stopped = false;
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await shutdown.run();
    if (dataSource.isInitialized) await dataSource.destroy();
  };
  const started = { shared, metrics, dataSource, lines, stop };
  processes.push(started);
  return started;
}

const exchange = async (...all: Process[]) => {
  for (const { shared } of all) await shared.exchange();
};

describe('a suspension that one process learns of', () => {
  it('holds in all of them with its cause, outlives a restart, and ends everywhere when it is lifted', async () => {
    const [one, two] = [await start(), await start()];
    begin(one.shared.throttling, YAHOO).release([TSS04]);
    await exchange(one, two);
    const wait = {
      kind: 'wait',
      reason: {
        kind: 'suspended',
        queue: 'yahoo',
        words: '421 4.7.0 [TSS04] mail from 192.0.2.9 (address) deferred',
        mx: 'mx.example.net',
      },
    };
    expect(two.shared.throttling.admit(YAHOO, SENDER)).toMatchObject(wait);
    expect(await two.metrics.render()).toContain('postloft_penalties_active{provider="yahoo",kind="suspended"} 1');
    await one.stop();
    await two.stop();

    const three = await start();
    await exchange(three);
    expect(three.shared.throttling.admit(YAHOO, SENDER)).toMatchObject(wait);
    const queues = new HeldQueues(db.database);
    expect(await queues.list()).toMatchObject([
      { queue: 'yahoo', source: null, state: 'suspended', factor: null, rule: 'yahoo-deferred', waiting: 0 },
    ]);
    expect(await queues.resume('yahoo')).toEqual({ restraints: 1, recipients: 0 });
    await exchange(three);
    expect(three.shared.throttling.admit(YAHOO, SENDER).kind).toBe('go');
    expect(await queues.list()).toEqual([]);
    expect(await queues.resume('yahoo')).toEqual({ restraints: 0, recipients: 0 });
  });

  it('makes what waited for it due at once when it is lifted, and nothing else', async () => {
    const later = new Date(Date.now() + 3_600_000);
    await db.database.query(INSERT, ['em_1', 'b.example', later, HELD_BY('yahoo')]);
    await db.database.query(INSERT, ['em_2', 'b.example', later, HELD_BY('google')]);
    await db.database.query(INSERT, ['em_3', 'b.example', later, null]);
    const depths = new QueueDepths(db.database);
    expect(await depths.held()).toEqual([
      { queue: 'google', held: 1 },
      { queue: 'yahoo', held: 1 },
    ]);
    await db.database.query(
      `UPDATE recipients SET due_at = now() - interval '60 s', is_due = true WHERE email_id = 'em_3'`,
    );
    expect(await depths.due()).toEqual([{ domain: 'b.example', due: 1, oldest: expect.closeTo(60, -1) as number }]);
    await db.database.query(`UPDATE recipients SET due_at = $1 WHERE email_id = 'em_3'`, [later]);
    expect(await new HeldQueues(db.database).resume('yahoo')).toEqual({ restraints: 0, recipients: 1 });
    const { rows } = await db.database.query<{ email_id: string }>(
      `SELECT email_id FROM recipients WHERE due_at <= now() + interval '2 seconds' AND wait_reason IS NULL ORDER BY email_id`,
    );
    expect(rows).toEqual([{ email_id: 'em_1' }]);
  });
});

describe('a reply that names a block list', () => {
  it('is a warning with the reply, a metric, and known with its list in all processes, until it ends', async () => {
    const [one, two] = [await start(), await start()];
    const reply = '554 5.7.1 Service unavailable; Client host [192.0.2.9] blocked using zen.spamhaus.org';
    begin(one.shared.throttling, GOOGLE).release([bounced(deferred(reply))]);
    await exchange(one, two);
    const blocked = (lines: Process['lines']) => lines.filter(({ msg }) => String(msg).startsWith('delivery_blocked'));
    const details = { subject: 'google', queue: 'google', block_list: 'zen.spamhaus.org', mx: 'mx.example.net', reply };
    expect(blocked(one.lines)).toMatchObject([{ level: 40, msg: 'delivery_blocked begins', ...details }]);
    // One line, from the process that got the reply.
    expect(blocked(two.lines)).toEqual([]);
    for (const { metrics } of [one, two])
      expect(await metrics.render()).toContain('postloft_delivery_blocked{provider="google",source=""} 1');
    expect(two.shared.throttling.admit(GOOGLE, SENDER)).toMatchObject({ reason: { blockList: 'zen.spamhaus.org' } });
    const queues = new HeldQueues(db.database);
    expect(await queues.list()).toMatchObject([{ queue: 'google', block_list: 'zen.spamhaus.org', words: reply }]);
    await queues.resume('google');
    await exchange(one, two);
    expect(blocked(one.lines).slice(1)).toMatchObject([{ level: 40, msg: 'delivery_blocked ends', ...details }]);
    expect(await one.metrics.render()).not.toContain('postloft_delivery_blocked{');
  });
});

describe('mail that is held back by a process which has not heard yet', () => {
  it('is due at once when it hears', async () => {
    const one = await start();
    begin(one.shared.throttling, YAHOO).release([TSS04]);
    await exchange(one);
    await new HeldQueues(db.database).resume('yahoo');
    await db.database.query(INSERT, ['em_4', 'b.example', new Date(Date.now() + 3_600_000), HELD_BY('yahoo')]);
    await exchange(one);
    const { rows } = await db.database.query(
      'SELECT email_id FROM recipients WHERE due_at <= now() AND wait_reason IS NULL',
    );
    expect(rows).toEqual([{ email_id: 'em_4' }]);
  });
});

describe('a slow-down', () => {
  it('is told with its factor, and a later one counts', async () => {
    const [one, two] = [await start(), await start()];
    const said = deferred('421 4.7.28 unusual rate', 'dot');
    begin(one.shared.throttling, GOOGLE).release([said]);
    await exchange(one, two);
    begin(two.shared.throttling, GOOGLE).release([said]);
    await exchange(two, one);
    for (const { shared } of [one, two])
      expect(shared.throttling.penalties()).toMatchObject([{ queue: 'google', penalty: { factor: 0.25 } }]);
    expect(await new HeldQueues(db.database).list()).toMatchObject([{ state: 'slow_down', factor: 0.25 }]);
  });
});

describe('the limits of a provider', () => {
  it('are divided by the living delivery processes', async () => {
    const file = { providers: { google: { connections: 4 } } };
    const [one, two] = [await start(file), await start(file)];
    expect(one.shared.throttling.availableSlots(GOOGLE)).toBe(4);
    await exchange(one, two);
    expect(one.shared.throttling.availableSlots(GOOGLE)).toBe(2);
    await two.stop();
    await exchange(one);
    expect(one.shared.throttling.availableSlots(GOOGLE)).toBe(4);
  });
});

describe('a day of warm-up', () => {
  const file = {
    providers: { google: { connections: 1000, per_minute: 1_000_000 } },
    sources: { main: [{ address: NEW }, { address: '192.0.2.2' }] },
    warm_up: [{ address: NEW, started: new Date().toISOString().slice(0, 10), first_day: 40, until: 1000 }],
  };

  async function byNew(all: Process[], mails: number): Promise<number> {
    let count = 0;
    for (let i = 0; i < mails; i += 1) {
      for (const { shared } of all) {
        const pass = begin(shared.throttling, GOOGLE);
        if (pass.source?.address === NEW) count += 1;
        pass.release([DELIVERED]);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return count;
  }

  it('is shared by all processes and outlives a restart', async () => {
    const [one, two] = [await start(file), await start(file)];
    const first = await byNew([one, two], 30);
    await one.stop();
    await two.stop();
    const after = await byNew([await start(file), await start(file)], 150);
    expect(first).toBeGreaterThan(0);
    expect(first + after).toBeLessThanOrEqual(40);
    // Slices of a twentieth that the first two did not use up are lost to the day.
    expect(first + after).toBeGreaterThan(30);
  });
});

describe('while the database is away', () => {
  it('mail goes on by what the process knows, and it tells what it learnt when the database is back', async () => {
    const [one, two] = [await start(), await start()];
    const write = one.dataSource;
    await write.destroy();
    begin(one.shared.throttling, YAHOO).release([TSS04]);
    await exchange(one, two);
    expect(one.shared.throttling.admit(YAHOO, SENDER).kind).toBe('wait');
    expect(begin(one.shared.throttling, GOOGLE).source).toBeNull();
    expect(two.shared.throttling.admit(YAHOO, SENDER).kind).toBe('go');
    await write.initialize();
    await exchange(one, two);
    expect(two.shared.throttling.admit(YAHOO, SENDER).kind).toBe('wait');
  });
});
