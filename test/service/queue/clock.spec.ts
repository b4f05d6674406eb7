import { timeOfId } from '#libs/contracts';
import { Log, Shutdown } from '#libs/kernel';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ClockSync } from '../../../libs/persistence/src/clock-sync.js';
import { OutcomeCollector } from '../../../libs/mta/src/outcome-collector.js';
import { releaseTime, scheduledAtRule } from '../../../libs/emails/src/intake/rules/submission-rules.js';
import { shortly } from '../../../libs/queue/src/dispatch/delay.js';
import {
  openQueueFixture,
  submission,
  type QueueFixture,
  type QueueProcess,
} from '../../support/delivery/queue-fixture.js';

const HOUR_MS = 3_600_000;
/** Longer than the lifetime of a message. */
const WEEK_MS = 7 * 24 * HOUR_MS;

let fixture: QueueFixture;
let program: QueueProcess;
let clock: ClockSync;

beforeAll(async () => {
  fixture = await openQueueFixture();
  program = await fixture.open();
  clock = new ClockSync(fixture.db.dataSource, Log.quiet(), new Shutdown(Log.quiet()));
});
afterEach(async () => {
  vi.useRealTimers();
  await clock.synchronise();
});
afterAll(() => fixture?.close());

describe.each([
  ['a week ahead of', WEEK_MS],
  ['a week behind', -WEEK_MS],
])('a process whose clock is %s that of the database', (_, aheadMs) => {
  const setClock = async () => {
    vi.setSystemTime(Date.now() + aheadMs);
    await clock.synchronise();
  };
  /** Seconds until the due time of the only recipient, by the clock of the database. */
  const dueIn = async (id: string) => {
    const { rows } = await fixture.db.database.query<{ seconds: number }>(
      'SELECT extract(epoch FROM due_at - now())::float8 AS seconds FROM recipients WHERE email_id = $1',
      [id],
    );
    return rows[0].seconds;
  };

  it('sends at once, requeues and retries by the clock of the database', async () => {
    await setClock();
    const { id } = await program.intake.accept(submission(fixture.accountId));
    const [job] = await program.queue.claim(1);
    expect(job.email.id).toBe(id);
    const { rows } = await fixture.db.database.query<{ now: Date }>('SELECT now()');
    expect(Math.abs(timeOfId(id).getTime() - rows[0].now.getTime())).toBeLessThan(60_000);

    await program.queue.requeue(job, shortly(null).until);
    expect(Math.abs((await dueIn(id)) - 5)).toBeLessThan(60);

    await fixture.db.database.query('UPDATE recipients SET due_at = now() WHERE email_id = $1', [id]);
    const [again] = await program.queue.claim(1);
    const attempt = new OutcomeCollector(false);
    const reply = { code: null, enhanced: null, text: 'no route' };
    attempt.decide(['0'], { kind: 'deferred', class: 'deferral', phase: 'connect', reply });
    await program.queue.settle(again, attempt.collect([{ key: '0', address: again.recipients[0].address }]));
    expect((await dueIn(id)) > 0 && (await dueIn(id)) < 2 * 3_600).toBe(true);
  });

  it('judges and stores the time of a scheduled message by the clock of the database', async () => {
    const at = new Date(Date.now() + HOUR_MS).toISOString();
    const past = new Date(Date.now() - HOUR_MS).toISOString();
    await setClock();
    expect(scheduledAtRule(at)).toEqual([]);
    expect(scheduledAtRule(past)).toMatchObject([{ code: 'in_the_past' }]);
    const { id } = await program.intake.accept(submission(fixture.accountId, { scheduledAt: releaseTime(at) }));
    expect(Math.abs((await dueIn(id)) - 3_600)).toBeLessThan(60);
    expect(await program.queue.claim(1)).toEqual([]);
  });
});

it('logs once that a clock was set', async () => {
  const log = Log.quiet();
  const warn = vi.spyOn(log, 'warn');
  const sync = new ClockSync(fixture.db.dataSource, log, new Shutdown(log));
  await sync.synchronise();
  vi.setSystemTime(Date.now() + HOUR_MS);
  await sync.synchronise();
  await sync.synchronise();
  expect(warn).toHaveBeenCalledTimes(1);
  const [, { systemJumpMs, databaseJumpMs }] = warn.mock.calls[0] as [string, Record<string, number>];
  expect(databaseJumpMs).toBe(0);
  expect(Math.abs(systemJumpMs - HOUR_MS)).toBeLessThan(60_000);
});
