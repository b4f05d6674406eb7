import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Queue } from '../../../libs/queue/src/queue.js';
import { fillBacklog } from '../../support/delivery/backlog.js';
import { openQueueFixture, type QueueProcess, type QueueFixture } from '../../support/delivery/queue-fixture.js';

/** Recipients that wait; POSTLOFT_PENDING=1000000 for the promised count. */
const PENDING = Number(process.env['POSTLOFT_PENDING'] ?? 200_000);
const LIMIT = 50;
const TIMES = 9;
/** A claim that walks over a backlog takes more than a hundred times as long as one that does not. */
const RATIO = 12;

describe('a claim beside a backlog', () => {
  let fixture: QueueFixture;
  let program: QueueProcess;
  let few: number;
  const run = (text: string, values: unknown[] = []) => fixture.db.database.query(text, values);

  beforeAll(async () => {
    fixture = await openQueueFixture();
    program = await fixture.open();
    for (const table of ['emails', 'recipients']) await run(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    await fillBacklog(fixture, { name: 'few', count: LIMIT * TIMES, domains: 20, is_due: true, dueIn: '-1 hour' });
    few = await fastest();
    await run('TRUNCATE recipients, emails');
  });
  afterEach(() => run('TRUNCATE recipients, emails'));
  afterAll(() => fixture?.close());

  async function fastest(limits?: Parameters<Queue['claim']>[1]): Promise<number> {
    let ms = Infinity;
    for (let i = 0; i < TIMES; i++) {
      const began = performance.now();
      expect(await program.queue.claim(LIMIT, limits)).toHaveLength(LIMIT);
      ms = Math.min(ms, performance.now() - began);
    }
    return ms;
  }

  it.each([
    ['in one domain', 1],
    ['in very many domains', PENDING / 10],
  ])('takes no longer for mail that waits %s', async (_, domains) => {
    await fillBacklog(fixture, { name: 'many', count: PENDING, domains, is_due: true, dueIn: '-2 hours' });
    await run('ANALYZE recipients');
    const ms = await fastest();
    console.log(`${PENDING} due in ${domains} domains: ${ms.toFixed(1)} ms, few: ${few.toFixed(1)} ms`);
    expect(ms / few).toBeLessThan(RATIO);
  });

  it('steps over the backlog of a domain at its limit', async () => {
    await fillBacklog(fixture, { name: 'full', count: PENDING, domains: 1, is_due: true, dueIn: '-2 hours' });
    await fillBacklog(fixture, { name: 'ok', count: LIMIT * TIMES, domains: 20, is_due: true, dueIn: '-1 hour' });
    const ms = await fastest({ perDomain: 10, byDomain: { 'full0.example': 0 } });
    console.log(`behind ${PENDING} of a full domain: ${ms.toFixed(1)} ms, few: ${few.toFixed(1)} ms`);
    expect(ms / few).toBeLessThan(RATIO);
  });

  it('does not look at what is not due', async () => {
    await fillBacklog(fixture, {
      name: 'later',
      count: PENDING,
      domains: PENDING / 10,
      is_due: false,
      dueIn: '1 day',
    });
    await fillBacklog(fixture, { name: 'ok', count: LIMIT * TIMES, domains: 20, is_due: false, dueIn: '-1 hour' });
    const ms = await fastest();
    console.log(`beside ${PENDING} that are not due: ${ms.toFixed(1)} ms, few: ${few.toFixed(1)} ms`);
    expect(ms / few).toBeLessThan(RATIO);
  });
});
