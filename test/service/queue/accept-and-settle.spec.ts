import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryJob } from '#libs/emails';
import { yielding } from '#libs/kernel';
import { NO_REMOTE, type Outcome } from '#libs/mta';
import { until } from '../../support/timing/until.js';
import {
  openQueueFixture,
  submission,
  type QueueProcess,
  type QueueFixture,
} from '../../support/delivery/queue-fixture.js';
import { OUTBOX_EVENTS } from '../../support/persistence/test-database.js';

type Kind = 'delivered' | 'deferred' | 'bounced';
const remote = { ...NO_REMOTE, mx: 'mx.example', ip: '192.0.2.1' };

describe('intake and queue on a real database', () => {
  let fixture: QueueFixture;
  let program: QueueProcess;
  beforeAll(async () => {
    fixture = await openQueueFixture();
    program = await fixture.open();
  });
  afterAll(() => fixture?.close());
  beforeEach(async () => {
    for (const table of [
      'emails',
      'recipients',
      'email_contents',
      'outbox',
      'attempts',
      'suppressions',
      'idempotency_keys',
    ])
      await fixture.db.database.query(`DELETE FROM ${table}`);
  });

  const rows = async <R>(sql: string, ...values: unknown[]) => (await fixture.db.database.query<R>(sql, values)).rows;
  const accept = (over: Parameters<typeof submission>[1] = {}) =>
    program.intake.accept(submission(fixture.accountId, over));
  const outcome = (key: number, kind: Kind, text = 'words'): Outcome => {
    const common = {
      key: String(key),
      reply: { code: kind === 'delivered' ? 250 : 450, enhanced: null, text },
      remote,
      startedAt: new Date(),
      endedAt: new Date(),
    };
    if (kind === 'delivered') return { ...common, kind };
    if (kind === 'deferred') return { ...common, kind, certainty: 'answered', phase: 'rcpt', class: 'deferral' };
    return { ...common, kind, phase: 'rcpt', class: 'invalid_recipient', bounceType: 'hard' };
  };
  const statuses = async (id: string) =>
    (await rows<{ status: string }>('SELECT status FROM recipients WHERE email_id = $1 ORDER BY ordinal', id)).map(
      (row) => row.status,
    );
  const emailStatus = async (id: string) =>
    (await rows<{ status: string; last_event: string }>('SELECT status, last_event FROM emails WHERE id = $1', id))[0];
  const events = async (id: string) =>
    (
      await rows<{ type: string; sequence: number }>(
        `SELECT type, sequence FROM ${OUTBOX_EVENTS} WHERE key = $1 ORDER BY sequence`,
        id,
      )
    ).map((row) => `${row.sequence} ${row.type}`);

  it('writes mail, recipients, body and events together, duplicates of an address once', async () => {
    const { id, replayed } = await accept({
      toAddresses: ['A@recipient.example', 'a@recipient.example', 'b@other.example'],
    });
    expect(replayed).toBe(false);
    expect(
      await rows('SELECT address, domain, status FROM recipients WHERE email_id = $1 ORDER BY ordinal', id),
    ).toEqual([
      { address: 'A@recipient.example', domain: 'recipient.example', status: 'queued' },
      { address: 'b@other.example', domain: 'other.example', status: 'queued' },
    ]);
    expect(await events(id)).toEqual(['1 email.queued', '2 email.queued']);
    expect(await rows('SELECT format FROM email_contents WHERE email_id = $1', id)).toEqual([{ format: 'parts' }]);
  });

  it('makes one mail of one idempotency key across processes and within a group', async () => {
    const other = await fixture.open();
    const idempotency = { scope: 's', key: 'k', bodyHash: createHash('sha256').update('body').digest() };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? program : other).intake.accept(submission(fixture.accountId, { idempotency })),
      ),
    );
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1);
    expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
    expect(await rows('SELECT count(*)::int AS mails FROM emails')).toEqual([{ mails: 1 }]);
    const otherBody = { ...idempotency, bodyHash: createHash('sha256').update('other').digest() };
    await expect(accept({ idempotency: otherBody })).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });

  it('does not let one mail that cannot be written cost its neighbours', async () => {
    const good = Array.from({ length: 10 }, () => accept());
    const bad = accept({ subject: 'nul \0 byte' });
    const results = await Promise.allSettled([...good, bad]);
    expect(results.map((result) => result.status)).toEqual([...Array<string>(10).fill('fulfilled'), 'rejected']);
    expect(await rows('SELECT count(*)::int AS mails FROM emails')).toEqual([{ mails: 10 }]);
  });

  it('refuses a foreign sender domain and a suppressed recipient, and stores nothing', async () => {
    await expect(accept({ from: { address: 'x@elsewhere.example', name: '' } })).rejects.toMatchObject({
      code: 'sender_domain_not_verified',
    });
    await program.suppressions.add(fixture.db.database, {
      accountId: fixture.accountId,
      address: 'gone@recipient.example',
      origin: 'bounce',
      reason: null,
      sourceId: null,
    });
    await expect(accept({ toAddresses: ['ok@recipient.example', 'Gone@Recipient.example'] })).rejects.toMatchObject({
      code: 'recipient_suppressed',
      details: [{ field: 'to[1]' }],
    });
    expect(await rows('SELECT count(*)::int AS mails FROM emails')).toEqual([{ mails: 0 }]);
  });

  it('gives each due recipient to one worker only', async () => {
    await Promise.all(Array.from({ length: 60 }, () => accept()));
    const others = await Promise.all([fixture.open(), fixture.open(), fixture.open()]);
    const claims = await Promise.all(others.flatMap(({ queue }) => [queue.claim(15), queue.claim(15)]));
    const ids = claims.flat().map((job) => job.email.id);
    expect(ids).toHaveLength(60);
    expect(new Set(ids).size).toBe(60);
    expect(await program.queue.claim(10)).toEqual([]);
  });

  it('settles several recipients of one mail each on its own, and the mail by the worst', async () => {
    const { id } = await accept({ toAddresses: ['a@one.example', 'b@one.example', 'c@two.example'] });
    const jobs = await program.queue.claim(10);
    expect(jobs.map((job) => job.recipients.length).sort((a, b) => a - b)).toEqual([1, 2]);
    await Promise.all(
      jobs.map((job) =>
        program.queue.settle(
          job,
          job.recipients.map(({ ordinal }) =>
            outcome(ordinal, ordinal === 0 ? 'delivered' : ordinal === 1 ? 'deferred' : 'bounced', 'no such user'),
          ),
        ),
      ),
    );
    expect(await statuses(id)).toEqual(['delivered', 'deferred', 'bounced']);
    expect(await emailStatus(id)).toMatchObject({ status: 'bounced' });
    const told = await events(id);
    expect(told.map((line) => Number(line.split(' ')[0]))).toEqual(told.map((_, i) => i + 1));
    expect(told.map((line) => line.split(' ')[1]).sort()).toEqual([
      'email.bounced',
      'email.delivered',
      'email.failed',
      'email.queued',
      'email.queued',
      'email.queued',
      'email.sent',
      'email.sent',
      'email.sent',
    ]);
    expect(await rows('SELECT address, origin, source_id FROM suppressions')).toEqual([
      { address: 'c@two.example', origin: 'bounce', source_id: id },
    ]);
    expect(await rows('SELECT count(*)::int AS attempts FROM attempts WHERE email_id = $1', id)).toEqual([
      { attempts: 3 },
    ]);
  });

  it('gives each recipient a job of his own where each has a link of his own', async () => {
    const to = ['a@one.example', 'b@one.example', 'c@two.example'];
    const { id } = await accept({ toAddresses: to, unsubscribe: { mailto: 'stop@sender.example' } });
    const jobs = await program.queue.claim(10);
    expect(jobs.map((job) => job.recipients.map(({ address }) => address).join()).sort()).toEqual(to);
    expect(jobs.map(({ email }) => [email.id, email.unsubscribe])).toEqual(
      to.map(() => [id, { mailto: 'stop@sender.example' }]),
    );
  });

  it('gives each recipient a job of their own where the domain asks for an envelope per recipient', async () => {
    const to = ['a@one.example', 'b@one.example', 'c@two.example'];
    const set = (envelope: string) => rows('UPDATE domains SET envelope = $1', envelope);
    const { id } = await accept({ toAddresses: to });
    await set('per_recipient');
    try {
      const jobs = await program.queue.claim(10);
      expect(jobs.map((job) => job.recipients.map(({ address }) => address).join()).sort()).toEqual(to);
      expect(jobs.map(({ email }) => email.id)).toEqual([id, id, id]);
      await program.queue.release(jobs);
    } finally {
      await set('shared');
    }
    const shared = await program.queue.claim(10);
    expect(shared.map((job) => job.recipients.map(({ address }) => address).join()).sort()).toEqual([
      'a@one.example,b@one.example',
      'c@two.example',
    ]);
  });

  it('frees the claims of a dead worker, and then refuses the dead worker’s word', async () => {
    const { id } = await accept();
    const frozen = await fixture.open();
    const [stale] = await frozen.queue.claim(1);
    await fixture.db.database.query(`UPDATE workers SET heartbeat_at = now() - interval '30 seconds' WHERE id = $1`, [
      frozen.worker.id,
    ]);
    expect(await program.worker.releaseDeadClaims()).toBe(1);
    // The frozen worker wakes, registers again and is alive; its old claim is not.
    await frozen.worker.beat();
    expect(frozen.worker.isAlive).toBe(true);
    expect(frozen.queue.isClaimValid(stale)).toBe(false);
    const [fresh] = await program.queue.claim(1);
    expect(program.queue.isClaimValid(fresh)).toBe(true);
    expect(fresh.recipients[0].fence).toBe(stale.recipients[0].fence + 1);
    await frozen.queue.settle(stale, [outcome(0, 'bounced')]);
    expect(await statuses(id)).toEqual(['sending']);
    await program.queue.settle(fresh, [outcome(0, 'delivered')]);
    expect(await statuses(id)).toEqual(['delivered']);
    expect(await events(id)).toEqual(['1 email.queued', '2 email.sent', '3 email.delivered']);
  });

  it('settles beside an outcome that no longer counts, and one of a mail to which more has happened, all others', async () => {
    await Promise.all(Array.from({ length: 5 }, () => accept()));
    const jobs = await program.queue.claim(5);
    const [lost, changed, ...usual] = jobs;
    await rows('UPDATE recipients SET fence = fence + 1 WHERE email_id = $1', lost.email.id);
    await rows('UPDATE emails SET sequence = sequence + 1 WHERE id = $1', changed.email.id);
    await Promise.all(jobs.map((job) => program.queue.settle(job, [outcome(0, 'delivered')])));
    expect(await statuses(lost.email.id)).toEqual(['sending']);
    expect(await events(lost.email.id)).toEqual(['1 email.queued']);
    expect(await events(changed.email.id)).toEqual(['1 email.queued', '3 email.sent', '4 email.delivered']);
    for (const { email } of usual)
      expect(await events(email.id)).toEqual(['1 email.queued', '2 email.sent', '3 email.delivered']);
    for (const { email } of [changed, ...usual])
      expect(await emailStatus(email.id)).toEqual({ status: 'delivered', last_event: 'delivered' });
    expect(await rows('SELECT DISTINCT number, outcome, mx, smtp_code FROM attempts')).toEqual([
      { number: 1, outcome: 'delivered', mx: 'mx.example', smtp_code: 250 },
    ]);
    expect(await rows('SELECT count(*)::int AS attempts FROM attempts')).toEqual([{ attempts: 4 }]);
  });

  it('settles what was taken beside what was refused and what cannot be written, each as it is', async () => {
    await Promise.all(Array.from({ length: 3 }, () => accept()));
    const [taken, refused, bad] = await program.queue.claim(3);
    const results = await Promise.allSettled([
      program.queue.settle(taken, [outcome(0, 'delivered')]),
      program.queue.settle(refused, [outcome(0, 'bounced')]),
      program.queue.settle(bad, [Object.assign(outcome(0, 'delivered'), { remote: { ...remote, mx: 'nul \0 byte' } })]),
    ]);
    expect(await events(taken.email.id)).toEqual(['1 email.queued', '2 email.sent', '3 email.delivered']);
    expect(await events(refused.email.id)).toEqual(['1 email.queued', '2 email.sent', '3 email.bounced']);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(await statuses(bad.email.id)).toEqual(['sending']);
  });

  it('writes an outcome down once, however often it is told', async () => {
    const { id } = await accept();
    const [job] = await program.queue.claim(1);
    await Promise.all([1, 2, 3].map(() => program.queue.settle(job, [outcome(0, 'delivered')])));
    await program.queue.settle(job, [outcome(0, 'delivered')]);
    expect(await events(id)).toEqual(['1 email.queued', '2 email.sent', '3 email.delivered']);
    expect(await rows('SELECT number FROM attempts')).toEqual([{ number: 1 }]);
  });

  it('tries a deferred recipient again at its time and tells a temporary failure once', async () => {
    const { id } = await accept();
    for (let attempt = 1; attempt <= 3; attempt++) {
      const [job] = await program.queue.claim(1);
      expect(job.recipients[0].attempts).toBe(attempt - 1);
      await program.queue.settle(job, [outcome(0, attempt < 3 ? 'deferred' : 'delivered')]);
      expect(await program.queue.claim(1)).toEqual([]);
      await fixture.db.database.query(`UPDATE recipients SET due_at = now() WHERE status = 'deferred'`);
    }
    expect((await events(id)).map((line) => line.split(' ')[1])).toEqual([
      'email.queued',
      'email.sent',
      'email.failed',
      'email.delivered',
    ]);
    expect(await emailStatus(id)).toEqual({ status: 'delivered', last_event: 'delivered' });
  });

  it('gives up at the end of the lifetime with exactly one final event', async () => {
    const { id } = await accept();
    await fixture.db.database.query('UPDATE recipients SET expires_at = now()');
    const [job] = await program.queue.claim(1);
    await program.queue.settle(job, [outcome(0, 'deferred')]);
    expect(await emailStatus(id)).toMatchObject({ status: 'failed' });
    const [{ data }] = await rows<{ data: { failure_type: string; next_attempt_at: null } }>(
      `SELECT data FROM ${OUTBOX_EVENTS} WHERE key = $1 AND type = 'email.failed'`,
      id,
    );
    expect(data).toMatchObject({ failure_type: 'final', next_attempt_at: null });
  });

  it('looks again at claim: suppressed meanwhile is not sent, a blocked account is held', async () => {
    const suppressed = await accept({ toAddresses: ['late@recipient.example', 'fine@recipient.example'] });
    await program.suppressions.add(fixture.db.database, {
      accountId: fixture.accountId,
      address: 'late@recipient.example',
      origin: 'manual',
      reason: null,
      sourceId: null,
    });
    const [job] = await program.queue.claim(10);
    expect(job.recipients.map((recipient) => recipient.address)).toEqual(['fine@recipient.example']);
    expect(await statuses(suppressed.id)).toEqual(['suppressed', 'sending']);
    expect(await events(suppressed.id)).toContain('3 email.suppressed');
    await program.queue.settle(job, [outcome(1, 'delivered')]);
    expect(await emailStatus(suppressed.id)).toMatchObject({ status: 'delivered' });

    const held = await accept();
    await program.accounts.setStanding(fixture.accountId, 'blocked');
    expect(await program.queue.claim(10)).toEqual([]);
    expect(await statuses(held.id)).toEqual(['queued']);
    await program.accounts.setStanding(fixture.accountId, 'active');
    expect(await program.queue.releaseHeld()).toBe(1);
    expect(await program.queue.claim(10)).toHaveLength(1);
  });

  it('keeps scheduled mail until its time and says then that it was queued', async () => {
    const { id } = await accept({ scheduledAt: new Date(Date.now() + 3_600_000) });
    expect(await emailStatus(id)).toMatchObject({ status: 'scheduled' });
    expect(await program.queue.claim(10)).toEqual([]);
    await fixture.db.database.query(`UPDATE recipients SET due_at = now()`);
    const [job] = await program.queue.claim(10);
    await program.queue.settle(job, [outcome(0, 'delivered')]);
    expect((await events(id)).map((line) => line.split(' ')[1])).toEqual([
      'email.scheduled',
      'email.queued',
      'email.sent',
      'email.delivered',
    ]);
  });

  it('hands mail over in memory already claimed, within its bounds, and leaves the rest to the claim', async () => {
    const jobs: DeliveryJob[] = [];
    const full = new Set<string>();
    program.localDelivery.connect({
      worker: program.worker,
      accepts: ({ domain }) => !full.has(domain),
      take: (some) => jobs.push(...some),
    });
    const { id } = await accept({ toAddresses: ['a@one.example', 'b@two.example'] });
    expect(await program.queue.claim(10)).toEqual([]);
    expect(jobs.map((job) => job.domain).sort()).toEqual(['one.example', 'two.example']);
    await Promise.all(jobs.map((job) => program.queue.settle(job, [outcome(job.recipients[0].ordinal, 'delivered')])));
    expect(await emailStatus(id)).toMatchObject({ status: 'delivered' });
    for (const job of jobs.splice(0)) program.localDelivery.leave(job);

    // One domain that has its share waiting takes none of the memory of the others.
    full.add('full.example');
    await accept({ toAddresses: ['a@full.example', 'b@two.example'] });
    await yielding.pause();
    expect(jobs).toEqual([]);
    const [claimed] = await program.queue.claim(1);
    await program.queue.release([claimed]);

    await Promise.all(Array.from({ length: 2_100 }, () => accept()));
    // After the responses, and under load during the next commit.
    await until(() => Promise.resolve(jobs.length >= 2_000), { what: 'the messages that fit into memory' });
    await yielding.pause();
    expect(jobs).toHaveLength(2_000);
    const unclaimed = () =>
      rows('SELECT count(*)::int AS count FROM recipients WHERE due_at IS NOT NULL AND claimed_by IS NULL');
    expect(await unclaimed()).toEqual([{ count: 102 }]);
    for (const job of jobs) program.localDelivery.leave(job);
    await accept();
    await yielding.pause();
    expect(jobs).toHaveLength(2_001);
    program.localDelivery.disconnect();
    await accept();
    await yielding.pause();
    expect(jobs).toHaveLength(2_001);
    await program.queue.release(jobs);
    expect(await unclaimed()).toEqual([{ count: 2_104 }]);
  });
});
