import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Queue } from '../../../libs/queue/src/queue.js';
import { fillBacklog } from '../../support/delivery/backlog.js';
import { openQueueFixture, type QueueProcess, type QueueFixture } from '../../support/delivery/queue-fixture.js';
import { tableReads } from '../../support/persistence/table-reads.js';

/** Recipients that wait; POSTLOFT_PENDING=1000000 for the promised count. */
const PENDING = Number(process.env['POSTLOFT_PENDING'] ?? 40_000);
const LIMIT = 50;
/** The sixth run of a prepared statement is the first with a plan for any values. */
const TIMES = 7;

describe('a claim beside a backlog', () => {
  let fixture: QueueFixture;
  let program: QueueProcess;
  const run = (text: string, values: unknown[] = []) => fixture.db.database.query(text, values);

  beforeAll(async () => {
    fixture = await openQueueFixture(1);
    program = await fixture.open();
    for (const table of ['emails', 'recipients']) await run(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  }, 60_000);
  afterEach(() => run('TRUNCATE recipients, emails'));
  afterAll(() => fixture?.close());

  /** Claims again and again; a claim that walks over the backlog reads each recipient of it. */
  async function claimAll(limits?: Parameters<Queue['claim']>[1]): Promise<void> {
    for (let i = 0; i < TIMES; i++) {
      let found = 0;
      const reads = await tableReads(fixture.db.database, async () => {
        found = (await program.queue.claim(LIMIT, limits)).length;
      });
      expect(found).toBe(LIMIT);
      expect(reads.rows).toBeLessThan(PENDING / 10);
    }
  }

  it.each([
    ['in one domain', 1],
    ['in very many domains', PENDING / 10],
  ])('reads no more for mail that waits %s', async (_, domains) => {
    await fillBacklog(fixture, { name: 'many', count: PENDING, domains, is_due: true, dueIn: '-2 hours' });
    await run('ANALYZE recipients');
    await claimAll();
  });

  it('steps over the backlog of a domain at its limit, and finds the jobs behind it', async () => {
    await fillBacklog(fixture, { name: 'full', count: PENDING, domains: 1, is_due: true, dueIn: '-2 hours' });
    await fillBacklog(fixture, { name: 'ok', count: LIMIT * TIMES, domains: 20, is_due: true, dueIn: '-1 hour' });
    await claimAll({ perDomain: 10, byDomain: { 'full0.example': 0 } });
  });

  it('does not look at what is not due, in however many domains it waits', async () => {
    await fillBacklog(fixture, { name: 'later', count: PENDING, domains: PENDING / 10, is_due: false, dueIn: '1 day' });
    await fillBacklog(fixture, { name: 'ok', count: LIMIT * TIMES, domains: 20, is_due: false, dueIn: '-1 hour' });
    await claimAll();
  });

  it('tells the age of the oldest without reading all', async () => {
    await fillBacklog(fixture, {
      name: 'many',
      count: PENDING,
      domains: PENDING / 10,
      is_due: true,
      dueIn: '-2 hours',
    });
    const reads = await tableReads(fixture.db.database, () => program.queue.oldestDue());
    expect(reads.rows).toBeLessThan(PENDING / 10);
    expect(await program.queue.oldestDue()).toBeGreaterThan(7_000);
  });
});
