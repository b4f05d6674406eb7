import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outbox } from '#libs/persistence';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { launchOne } from '../support/services/distributed.js';
import type { RunningProgram } from '../support/services/program.js';
import { LOG_EVENTS } from '../support/persistence/test-database.js';
import { queuedEvents, WebhooksProcess } from '../support/webhooks/webhooks-harness.js';
import { WebhooksFixture } from '../support/webhooks/webhooks-fixture.js';

const ROUNDS = 2;
/** A frozen process loses its leases after 12 s; the rest is for a busy machine. */
const WITHIN_MS = 60_000;

let stage: WebhooksFixture;
let dir: string;
let programs: RunningProgram[];

beforeEach(async () => {
  stage = await WebhooksFixture.start();
  dir = mkdtempSync(join(tmpdir(), 'postloft-frozen-'));
  chmodSync(dir, 0o755);
  programs = [];
});
afterEach(async () => {
  await Promise.all(programs.map((program) => program.kill()));
  rmSync(dir, { recursive: true, force: true });
  await stage.close();
});

async function start(name: 'delivery' | 'webhooks', copy: string): Promise<RunningProgram> {
  const place = join(dir, copy);
  mkdirSync(place, { recursive: true });
  const program = await launchOne(name, place, { DATABASE_URL: stage.db.url, CLICKHOUSE_URL: 'http://127.0.0.1:1' });
  programs.push(program);
  return program;
}

it('goes on with webhooks while the processes that hold the sequencer and the position are frozen', async () => {
  const key = Buffer.alloc(32, 3).toString('base64');
  const customer = new WebhooksProcess(stage.db, { MASTER_KEY: key });
  const webhook = await stage.subscribe(customer, '/customer');
  // The first copy of each program holds the leases.
  const frozen = [await start('delivery', 'one'), await start('webhooks', 'one')];
  await outbox.append(stage.db.database, queuedEvents(stage.accountId));
  await stage.receiver.waitFor('/customer', 1, WITHIN_MS);
  const heirs = [await start('delivery', 'two'), await start('webhooks', 'two')];

  let appended = 1;
  for (let round = 0; round < ROUNDS; round++) {
    const [stopped] = round % 2 === 0 ? [frozen] : [heirs];
    for (const { pid } of stopped) process.kill(-pid, 'SIGSTOP');
    await outbox.append(stage.db.database, queuedEvents(stage.accountId, 20));
    appended += 20;
    await stage.receiver.waitFor('/customer', appended, WITHIN_MS);
    for (const { pid } of stopped) process.kill(-pid, 'SIGCONT');
  }

  const rows = await stage.finished(webhook.id, WITHIN_MS);
  expect(rows.map(({ status }) => status)).toEqual(Array.from({ length: appended }, () => 'delivered'));
  const log = await stage.db.database.query<{ head: string; events: string; ids: string }>(
    `SELECT (SELECT position FROM event_log_head) AS head, count(*) AS events, count(DISTINCT event_id) AS ids FROM ${LOG_EVENTS}`,
  );
  expect(log.rows).toEqual([{ head: String(appended), events: String(appended), ids: String(appended) }]);
});
