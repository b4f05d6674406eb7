import { newId } from '#libs/contracts';
import type { DeliveryJob } from '#libs/emails';
import type { Queue } from '../../../libs/queue/src/queue.js';
import { DueClaims } from '../../../libs/queue/src/claim/claim-due.js';
import { beforeEach, describe, expect } from 'vitest';
import type { QueueFixture } from '../../support/delivery/queue-fixture.js';
import { queueTest as it } from '../../support/delivery/queue-tests.js';
import { tableReads } from '../../support/persistence/table-reads.js';

const LARGE = 20_000;

/** `count` due recipients of a new account at one domain; each later one is due a little later. */
async function backlog(
  { db }: QueueFixture,
  of: { count: number; domain?: string; dueIn?: string; account?: string; plan?: string; isBulk?: boolean },
): Promise<string> {
  const account = of.account ?? newId('acc');
  const run = (text: string, values: unknown[] = []) => db.database.query(text, values);
  const { rows } = await run('SELECT id FROM domains LIMIT 1');
  const name = newId('em');
  await run(
    `INSERT INTO accounts (id, name, plan, standing, created_at) VALUES ($1, 'x', $2, 'active', now()) ON CONFLICT DO NOTHING`,
    [account, of.plan ?? 'unlimited'],
  );
  await run(
    `INSERT INTO emails (id, account_id, domain_id, mode, source, status, last_event, sender, header_to, header_cc, header_bcc, reply_to,
                         subject, tags, message_id, size, recipient_count, sequence, created_at, updated_at)
       SELECT $1 || lpad(i::text, 6, '0'), $2, $3, 'live', 'rest', 'queued', 'queued', 'a@sender.example', '{}', '{}', '{}', '{}',
              's', '{}', '<m>', 1, 1, 1, now(), now() FROM generate_series(1, $4::int) AS i`,
    [name, account, (rows[0] as { id: string }).id, of.count],
  );
  await run(
    `INSERT INTO recipients (email_id, ordinal, address, domain, account_id, type, status, due_at, expires_at, is_due, is_bulk)
       SELECT $1 || lpad(i::text, 6, '0'), 0, 'x@' || $2, $2, $3, 'to', 'queued',
              now() + $4::interval + make_interval(secs => i * 0.00001), now() + interval '3 days', true, $6
       FROM generate_series(1, $5::int) AS i`,
    [name, of.domain ?? 'mail.example', account, of.dueIn ?? '-1 hour', of.count, of.isBulk ?? false],
  );
  return account;
}

const byAccount = (jobs: readonly DeliveryJob[]) => {
  const counts: Record<string, number> = {};
  for (const { email } of jobs) counts[email.accountId] = (counts[email.accountId] ?? 0) + 1;
  return counts;
};

function add(total: Record<string, number>, counts: Record<string, number>): void {
  for (const [account, count] of Object.entries(counts)) total[account] = (total[account] ?? 0) + count;
}

describe('claims from one domain with mail of several accounts', () => {
  beforeEach<{ fixture: QueueFixture }>(async ({ fixture }) => {
    await fixture.db.database.query('TRUNCATE emails, recipients, email_contents');
  });

  /** The review would end what these accounts may not send: their sending domain is of another account. */
  const claim = (queue: Queue, limit: number, limits: Parameters<Queue['claim']>[1]) =>
    (queue as unknown as { due: { claim: Queue['claim'] } }).due.claim(limit, limits);

  it('share the limit equally, however much one of them has and for however long it waits', async ({
    fixture,
    program,
  }) => {
    const busy = await backlog(fixture, { count: LARGE, dueIn: '-3 hours' });
    const quiet = await backlog(fixture, { count: 1, dueIn: '-1 second' });
    const other = await backlog(fixture, { count: 50, dueIn: '-2 hours' });
    const jobs = await claim(program.queue, 200, { perDomain: 12, byDomain: {} });
    expect(byAccount(jobs)).toEqual({ [busy]: 4, [quiet]: 1, [other]: 4 });
  });

  it('take turns where there are more accounts than the limit', async ({ fixture, program }) => {
    const accounts = [];
    for (let i = 0; i < 10; i += 1) accounts.push(await backlog(fixture, { count: 30 }));
    const total: Record<string, number> = {};
    for (let round = 0; round < 20; round += 1)
      add(total, byAccount(await claim(program.queue, 200, { perDomain: 3, byDomain: {} })));
    expect(total).toEqual(Object.fromEntries(accounts.map((account) => [account, 6])));
  });

  it('take turns where the limit is of one recipient', async ({ fixture, program }) => {
    const accounts = [];
    for (let i = 0; i < 3; i += 1) accounts.push(await backlog(fixture, { count: 10 }));
    const total: Record<string, number> = {};
    for (let round = 0; round < 12; round += 1)
      add(total, byAccount(await claim(program.queue, 200, { perDomain: 1, byDomain: {} })));
    expect(total).toEqual(Object.fromEntries(accounts.map((account) => [account, 4])));
  });

  describe('with weights of plans', () => {
    const rounds = async (fixture: QueueFixture, perDomain: number, count: number) => {
      const { id, epoch } = { id: newId('evt'), epoch: 1 };
      const claims = new DueClaims(fixture.db.database, { id, epoch }, { unlimited: 4, '5000': 2 });
      const total: Record<string, number> = {};
      for (let round = 0; round < count; round += 1)
        add(total, byAccount(await claims.claim(500, { perDomain, byDomain: {} })));
      return total;
    };
    const three = async (fixture: QueueFixture) => [
      await backlog(fixture, { count: 200, plan: 'unlimited' }),
      await backlog(fixture, { count: 200, plan: '5000' }),
      await backlog(fixture, { count: 200, plan: 'free' }),
    ];

    it('share a limit by weight', async ({ fixture }) => {
      const [heavy, middle, light] = await three(fixture);
      expect(await rounds(fixture, 35, 4)).toEqual({ [heavy]: 80, [middle]: 40, [light]: 20 });
    });

    it('take turns by weight where the limit is smaller than their sum', async ({ fixture }) => {
      const [heavy, middle, light] = await three(fixture);
      const total = await rounds(fixture, 1, 60);
      expect(total).toEqual({ [heavy]: 80, [middle]: 40, [light]: 20 });
    });
  });

  describe('with bulk mail', () => {
    const kinds = (jobs: readonly DeliveryJob[]) => ({
      bulk: jobs.filter(({ isBulk }) => isBulk).length,
      transactional: jobs.filter(({ isBulk }) => !isBulk).length,
    });

    it('take the transactional mail of an account first, and one in ten of its bulk mail', async ({
      fixture,
      program,
    }) => {
      const account = await backlog(fixture, { count: 300, isBulk: true, dueIn: '-3 hours' });
      await backlog(fixture, { count: 40, account, dueIn: '-1 minute' });
      const limits = { perDomain: 20, byDomain: {} };
      expect(kinds(await claim(program.queue, 200, limits))).toEqual({ bulk: 2, transactional: 18 });
      expect(kinds(await claim(program.queue, 200, limits))).toEqual({ bulk: 2, transactional: 18 });
      expect(kinds(await claim(program.queue, 200, limits))).toEqual({ bulk: 16, transactional: 4 });
      expect(kinds(await claim(program.queue, 200, limits))).toEqual({ bulk: 20, transactional: 0 });
    });

    it('take some of it also where a share is of one recipient', async ({ fixture, program }) => {
      const account = await backlog(fixture, { count: 300, isBulk: true, dueIn: '-3 hours' });
      await backlog(fixture, { count: 300, account, dueIn: '-1 minute' });
      const jobs = [];
      for (let round = 0; round < 200; round += 1)
        jobs.push(...(await claim(program.queue, 200, { perDomain: 1, byDomain: {} })));
      const { bulk, transactional } = kinds(jobs);
      expect(transactional).toBeGreaterThan(bulk);
      // Twenty are expected; fewer than two are less likely than one in 10^7.
      expect(bulk).toBeGreaterThanOrEqual(2);
    });

    it('leave the shares of accounts as they are', async ({ fixture, program }) => {
      const bulk = await backlog(fixture, { count: 300, isBulk: true, dueIn: '-3 hours' });
      const other = await backlog(fixture, { count: 300, dueIn: '-1 minute' });
      const jobs = await claim(program.queue, 200, { perDomain: 50, byDomain: {} });
      expect(byAccount(jobs)).toEqual({ [bulk]: 25, [other]: 25 });
    });
  });

  it('give a hundred accounts with equal mail a hundredth each', async ({ fixture, program }) => {
    const accounts = [];
    for (let i = 0; i < 100; i += 1) accounts.push(await backlog(fixture, { count: 60 }));
    const total: Record<string, number> = {};
    for (let round = 0; round < 250; round += 1)
      add(total, byAccount(await claim(program.queue, 200, { perDomain: 20, byDomain: {} })));
    expect(total).toEqual(Object.fromEntries(accounts.map((account) => [account, 50])));
  });

  it('give every account the same where a claim ends in the middle of a domain', async ({ fixture, program }) => {
    const accounts = [];
    for (let i = 0; i < 8; i += 1) accounts.push(await backlog(fixture, { count: 40 }));
    const total: Record<string, number> = {};
    for (let round = 0; round < 24; round += 1)
      add(total, byAccount(await claim(program.queue, 3, { perDomain: 100, byDomain: {} })));
    const counts = accounts.map((account) => total[account] ?? 0);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(3);
  });

  it('leave out the accounts that have mail in memory, and find those behind them', async ({ fixture, program }) => {
    const busy = await backlog(fixture, { count: 100 });
    const quiet = await backlog(fixture, { count: 1, dueIn: '-1 second' });
    const jobs = await claim(program.queue, 50, {
      perDomain: 5,
      byDomain: { 'mail.example': 2 },
      without: { 'mail.example': [busy] },
    });
    expect(byAccount(jobs)).toEqual({ [quiet]: 1 });
  });

  it('read no more for a backlog of one account', async ({ fixture, program }) => {
    await backlog(fixture, { count: LARGE, dueIn: '-3 hours' });
    for (let i = 0; i < 20; i += 1) await backlog(fixture, { count: 5 });
    await fixture.db.database.query('ANALYZE recipients');
    for (let i = 0; i < 7; i += 1) {
      const reads = await tableReads(fixture.db.database, () =>
        claim(program.queue, 50, { perDomain: 10, byDomain: {} }),
      );
      expect(reads.rows).toBeLessThan(1_000);
    }
    const oldest = await tableReads(fixture.db.database, () => program.queue.oldestDue());
    expect(oldest.rows).toBeLessThan(1_000);
    expect(await program.queue.oldestDue()).toBeGreaterThan(10_000);
  });
});

describe('mail of an account that may not send', () => {
  beforeEach<{ fixture: QueueFixture }>(async ({ fixture }) => {
    await fixture.db.database.query('TRUNCATE emails, recipients, email_contents');
  });

  const states = async ({ db }: QueueFixture) =>
    (
      await db.database.query<{ is_due: boolean | null; status: string; count: number }>(
        'SELECT is_due, status, count(*)::int AS count FROM recipients GROUP BY 1, 2 ORDER BY 1, 2',
      )
    ).rows;

  it('is marked once, is not claimed meanwhile, and comes back when the account may send again', async ({
    fixture,
    program,
  }) => {
    const { accountId } = fixture;
    await backlog(fixture, { count: 30, account: accountId });
    await program.accounts.setStanding(accountId, 'blocked');
    expect(await program.queue.claim(50)).toEqual([]);
    expect(await states(fixture)).toEqual([{ is_due: false, status: 'queued', count: 30 }]);
    const fences = await fixture.db.database.query('SELECT sum(fence)::int AS fences FROM recipients');
    expect(await program.queue.claim(50)).toEqual([]);
    expect(await program.queue.releaseHeld()).toBe(0);
    expect((await fixture.db.database.query('SELECT sum(fence)::int AS fences FROM recipients')).rows).toEqual(
      fences.rows,
    );
    await program.accounts.setStanding(accountId, 'active');
    expect(await program.queue.releaseHeld()).toBe(30);
    expect(await program.queue.claim(50)).toHaveLength(30);
  });

  it('comes back in batches', async ({ fixture, program }) => {
    const account = await backlog(fixture, { count: 2_500 });
    await fixture.db.database.query('UPDATE recipients SET is_due = false WHERE account_id = $1', [account]);
    expect([
      await program.queue.releaseHeld(),
      await program.queue.releaseHeld(),
      await program.queue.releaseHeld(),
      await program.queue.releaseHeld(),
    ]).toEqual([1_000, 1_000, 500, 0]);
  });

  it('fails when its lifetime is over', async ({ fixture, program }) => {
    const { accountId } = fixture;
    await backlog(fixture, { count: 2, account: accountId });
    await program.accounts.setStanding(accountId, 'overdue');
    await program.queue.claim(50);
    await fixture.db.database.query(`UPDATE recipients SET expires_at = now() - interval '2 minutes'`);
    expect(await program.queue.releaseHeld()).toBe(2);
    expect(await program.queue.claim(50)).toEqual([]);
    expect(await states(fixture)).toEqual([{ is_due: null, status: 'failed', count: 2 }]);
    await program.accounts.setStanding(accountId, 'active');
  });

  it('lets test mail go once a blocked account is only paused', async ({ fixture, program }) => {
    const { accountId, db } = fixture;
    await backlog(fixture, { count: 3, account: accountId });
    await db.database.query(`UPDATE emails SET mode = 'test' WHERE id = (SELECT min(id) FROM emails)`);
    await program.accounts.setStanding(accountId, 'blocked');
    await program.queue.claim(50);
    await program.queue.releaseHeld();
    await db.database.query(`UPDATE accounts SET standing = 'active', sending_pause = '{}' WHERE id = $1`, [accountId]);
    expect(await program.queue.releaseHeld()).toBe(3);
    expect((await program.queue.claim(50)).map(({ email }) => email.test)).toEqual([true]);
    expect(await program.queue.releaseHeld()).toBe(0);
    await db.database.query('UPDATE accounts SET sending_pause = NULL WHERE id = $1', [accountId]);
  });
});
