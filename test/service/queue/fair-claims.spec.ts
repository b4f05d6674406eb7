import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryJob } from '#libs/emails';
import type { WaitReason } from '#libs/mta';
import {
  openQueueFixture,
  submission,
  type QueueProcess,
  type QueueFixture,
} from '../../support/delivery/queue-fixture.js';

const HOUR_MS = 3_600_000;
const reason: WaitReason = {
  kind: 'suspended',
  queue: 'q',
  source: null,
  text: 'closed',
  words: '421 later',
  mx: 'mx.example',
};

describe('claims of several workers from many domains', () => {
  let fixture: QueueFixture;
  let program: QueueProcess;
  const rows = async <T>(text: string, values: unknown[] = []) =>
    (await fixture.db.database.query<T>(text, values)).rows;
  const accept = (domain: string, scheduledAt: Date | null = null) =>
    program.intake.accept(submission(fixture.accountId, { toAddresses: [`x${Math.random()}@${domain}`], scheduledAt }));
  const fill = async (counts: Record<string, number>) => {
    for (const [domain, count] of Object.entries(counts))
      await Promise.all(Array.from({ length: count }, () => accept(domain)));
  };
  const byDomain = (jobs: readonly DeliveryJob[]) => {
    const counts: Record<string, number> = {};
    for (const { domain } of jobs) counts[domain] = (counts[domain] ?? 0) + 1;
    return counts;
  };

  beforeAll(async () => {
    fixture = await openQueueFixture();
  });
  beforeEach(async () => {
    await fixture.db.database.query('TRUNCATE emails, recipients, email_contents');
    program = await fixture.open();
  });
  afterAll(() => fixture?.close());

  it('take of each domain no more than its limit, the oldest first, and skip domains at their limit', async () => {
    await fill({ 'a.example': 30, 'b.example': 2, 'c.example': 30 });
    const jobs = await program.queue.claim(50, { perDomain: 5, byDomain: { 'c.example': 0 } });
    expect(byDomain(jobs)).toEqual({ 'a.example': 5, 'b.example': 2 });
    const oldest = await rows<{ email_id: string }>(
      `SELECT email_id FROM recipients WHERE domain = 'a.example' ORDER BY due_at, email_id LIMIT 5`,
    );
    const dues = await rows<{ last: Date; next: Date }>(
      `SELECT max(due_at) FILTER (WHERE claimed_by IS NOT NULL) AS last, min(due_at) FILTER (WHERE claimed_by IS NULL) AS next
       FROM recipients WHERE domain = 'a.example'`,
    );
    expect(oldest).toHaveLength(5);
    expect(dues[0].last.getTime()).toBeLessThanOrEqual(dues[0].next.getTime());
  });

  it('go on where the last one stopped, so that every domain has its turn', async () => {
    await fill({ 'a.example': 9, 'b.example': 9, 'c.example': 9, 'd.example': 9 });
    const turns = [];
    for (let round = 0; round < 4; round++)
      turns.push(byDomain(await program.queue.claim(6, { perDomain: 3, byDomain: {} })));
    expect(turns).toEqual([
      { 'a.example': 3, 'b.example': 3 },
      { 'c.example': 3, 'd.example': 3 },
      { 'a.example': 3, 'b.example': 3 },
      { 'c.example': 3, 'd.example': 3 },
    ]);
  });

  it('never wait for each other and never take the same mail', async () => {
    await fill({ 'a.example': 40, 'b.example': 40 });
    const other = await fixture.open();
    const blocker = await fixture.db.database.session();
    await blocker.query('BEGIN');
    await blocker.query(`SELECT 1 FROM recipients WHERE domain = 'a.example' LIMIT 20 FOR UPDATE`);
    const claims = await Promise.all(
      [program, other, program, other].map(({ queue }) => queue.claim(15, { perDomain: 10, byDomain: {} })),
    );
    await blocker.query('ROLLBACK');
    blocker.release();
    const ids = claims.flat().map(({ email }) => email.id);
    expect(ids.length).toBeGreaterThan(30);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('find mail whose time has come, and not what was put off after that', async () => {
    await accept('later.example', new Date(Date.now() + HOUR_MS));
    expect(await program.queue.claim(10)).toEqual([]);
    await fixture.db.database.query('UPDATE recipients SET due_at = now()');
    expect(await program.queue.claim(0)).toEqual([]);
    expect(await rows('SELECT is_due FROM recipients')).toEqual([{ is_due: true }]);
    await fixture.db.database.query(`UPDATE recipients SET due_at = now() + interval '1 hour'`);
    expect(await program.queue.claim(10)).toEqual([]);
    await fixture.db.database.query('UPDATE recipients SET due_at = now()');
    expect(await program.queue.claim(10)).toHaveLength(1);
  });

  it('do not find mail of a closed queue, which says why it waits and no longer once it is claimed', async () => {
    await fill({ 'closed.example': 3, 'open.example': 1 });
    const until = new Date(Date.now() + HOUR_MS);
    const [mine] = await program.queue.claim(1, { perDomain: 1, byDomain: { 'open.example': 0 } });
    await program.queue.requeue(mine, until, reason);
    expect(await program.queue.requeueDomains({ domains: ['closed.example'], isPenalty: false, until, reason })).toBe(
      2,
    );
    expect(
      await rows(`SELECT due_at, wait_reason, status, claimed_by FROM recipients WHERE domain = 'closed.example'`),
    ).toEqual(
      Array.from({ length: 3 }, () => ({ due_at: until, wait_reason: reason, status: 'queued', claimed_by: null })),
    );
    expect(byDomain(await program.queue.claim(10))).toEqual({ 'open.example': 1 });
    await fixture.db.database.query('UPDATE recipients SET due_at = now() WHERE wait_reason IS NOT NULL');
    expect(byDomain(await program.queue.claim(10))).toEqual({ 'closed.example': 3 });
    expect(await rows('SELECT count(*)::int AS waiting FROM recipients WHERE wait_reason IS NOT NULL')).toEqual([
      { waiting: 0 },
    ]);
  });

  it('never put mail off beyond its lifetime, nor give back what another claim holds', async () => {
    await fill({ 'a.example': 1 });
    const [job] = await program.queue.claim(1);
    await program.queue.requeue(job, new Date(Date.now() + 1_000 * HOUR_MS), reason);
    const [{ late }] = await rows<{ late: number }>(
      'SELECT extract(epoch FROM due_at - expires_at)::int AS late FROM recipients',
    );
    expect(late).toBe(61);
    await fixture.db.database.query('UPDATE recipients SET due_at = now()');
    const [again] = await program.queue.claim(1);
    expect(again.recipients[0].fence).toBe(job.recipients[0].fence + 1);
    await program.queue.requeue(job, null);
    await program.queue.release([job]);
    expect(await rows('SELECT status, claimed_by FROM recipients')).toEqual([
      { status: 'sending', claimed_by: program.worker.id },
    ]);
  });

  it('know for how long the oldest has waited', async () => {
    expect(await program.queue.oldestDue()).toBe(0);
    await fill({ 'a.example': 1, 'b.example': 1 });
    await fixture.db.database.query(
      `UPDATE recipients SET due_at = now() - interval '90 seconds' WHERE domain = 'b.example'`,
    );
    expect(await program.queue.oldestDue()).toBeCloseTo(90, -1);
    await program.queue.claim(10);
    expect(await program.queue.oldestDue()).toBe(0);
  });
});
