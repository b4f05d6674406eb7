import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Allowances } from '#libs/accounts';
import { systemMail, type DeliveryJob } from '#libs/emails';
import { NO_REMOTE, type Outcome } from '#libs/mta';
import { simulations } from '#libs/contracts';
import {
  openQueueFixture,
  submission,
  type QueueFixture,
  type QueueProcess,
} from '../../support/delivery/queue-fixture.js';
import { OUTBOX_EVENTS } from '../../support/persistence/test-database.js';

/** At the default limits: 1,000 recipients, 10% permanent bounces, 0.3% complaints. */
describe('the brakes on accounts of which too much mail bounces', () => {
  let fixture: QueueFixture;
  let program: QueueProcess;
  let accountId: string;
  beforeAll(async () => {
    fixture = await openQueueFixture();
    program = await fixture.open();
    ({ accountId } = fixture);
  });
  afterAll(() => fixture?.close());
  beforeEach(async () => {
    await program.brakes.flush();
    await program.accounts.resume(accountId);
    for (const table of [
      'sending_outcomes',
      'notices',
      'outbox',
      'emails',
      'recipients',
      'email_contents',
      'suppressions',
    ])
      await fixture.db.database.query(`DELETE FROM ${table}`);
  });

  const rows = async <R>(sql: string, ...values: unknown[]) => (await fixture.db.database.query<R>(sql, values)).rows;
  const pause = async () => (await program.accounts.view(accountId)).sending_pause;
  const counted = () =>
    rows(
      `SELECT sum(recipients)::int AS recipients, sum(hard_bounces)::int AS hard, sum(complaints)::int AS complaints
            FROM sending_outcomes WHERE account_id = $1`,
      accountId,
    );

  function many(count: number, outcome: 'hard_bounce' | 'other', of = accountId): void {
    for (let i = 0; i < count; i++) program.brakes.count(of, outcome);
  }
  async function claimed(over: Parameters<typeof submission>[1] = {}): Promise<DeliveryJob> {
    const { id } = await program.intake.accept(submission(accountId, over));
    const job = (await program.queue.claim(50)).find(({ email }) => email.id === id);
    if (!job) throw new Error('the message was not claimed');
    return job;
  }
  const outcome = (kind: 'delivered' | 'hard' | 'soft' | 'deferred', ordinal = 0): Outcome => {
    const at = { startedAt: new Date(), endedAt: new Date() };
    const common = { key: String(ordinal), remote: { ...NO_REMOTE, mx: 'mx.example' }, ...at };
    if (kind === 'delivered') return { ...common, kind, reply: { code: 250, enhanced: '2.0.0', text: 'ok' } };
    const refused = {
      ...common,
      phase: 'rcpt',
      reply: { code: 550, enhanced: '5.1.1', text: 'no such user' },
    } as const;
    if (kind === 'deferred') return { ...refused, kind, certainty: 'answered', class: 'deferral' };
    return { ...refused, kind: 'bounced', class: 'invalid_recipient', bounceType: kind };
  };

  it('does not pause at exactly the limit, or below the least number of recipients', async () => {
    many(899, 'hard_bounce');
    many(100, 'other');
    await program.brakes.flush();
    expect(await pause()).toBeNull();
    await fixture.db.database.query('DELETE FROM sending_outcomes');
    many(100, 'hard_bounce');
    many(900, 'other');
    await program.brakes.flush();
    expect(await pause()).toBeNull();
  });

  it('pauses above the limit, once, with an event, a notice and the figures', async () => {
    many(101, 'hard_bounce');
    many(899, 'other');
    await Promise.all([program.brakes.flush(), program.brakes.flush()]);
    many(1, 'hard_bounce');
    await program.brakes.flush();
    const figures = { reason: 'bounces', recipients: 1000, hard_bounces: 101, complaints: 0, limit_percent: 10 };
    expect(await pause()).toMatchObject(figures);
    expect(await program.accounts.view(accountId)).toMatchObject({ status: 'paused' });
    expect(
      await rows(
        `SELECT type, key, data FROM ${OUTBOX_EVENTS} WHERE type LIKE 'account.%' AND account_id = $1`,
        accountId,
      ),
    ).toEqual([{ type: 'account.paused', key: accountId, data: expect.objectContaining(figures) as unknown }]);
    expect(await rows('SELECT kind, facts, done_at FROM notices WHERE account_id = $1', accountId)).toEqual([
      { kind: 'account.paused', facts: expect.objectContaining(figures) as unknown, done_at: null },
    ]);
  });

  it('counts over programs and over the parts of the window, but nothing older', async () => {
    const other = await fixture.open();
    many(500, 'other');
    for (let i = 0; i < 150; i++) other.brakes.count(accountId, 'hard_bounce');
    await Promise.all([program.brakes.flush(), other.brakes.flush()]);
    await fixture.db.database.query(`UPDATE sending_outcomes SET slot = slot - interval '25 hours'`);
    many(400, 'other');
    await program.brakes.flush();
    expect(await pause()).toBeNull();
    await fixture.db.database.query(`UPDATE sending_outcomes SET slot = slot + interval '5 hours'`);
    many(1, 'other');
    await program.brakes.flush();
    expect(await pause()).toMatchObject({ recipients: 1051, hard_bounces: 150 });
  });

  it('pauses because of complaints, which are counted with the report', async () => {
    many(1000, 'other');
    await program.brakes.flush();
    const complain = () =>
      fixture.db.database.transaction((tx) => program.brakes.countReport(tx, accountId, 'complaint'));
    for (let i = 0; i < 3; i++) await complain();
    await program.brakes.flush();
    expect(await pause()).toBeNull();
    await complain();
    await program.brakes.flush();
    expect(await pause()).toMatchObject({ reason: 'complaints', recipients: 1000, complaints: 4, limit_percent: 0.3 });
  });

  it('counts ended deliveries of live mail only', async () => {
    const toAddresses = ['a@recipient.example', 'b@recipient.example', 'c@recipient.example', 'd@recipient.example'];
    const job = await claimed({ toAddresses });
    await program.queue.settle(job, [
      outcome('delivered', 0),
      outcome('hard', 1),
      outcome('soft', 2),
      outcome('deferred', 3),
    ]);
    await program.queue.settle(await claimed(), [outcome('delivered')]);
    await program.queue.settle(await claimed({ mode: 'test' }), [outcome('hard')]);
    const simulated = await claimed();
    const simulation = simulations.parse('bounced');
    if (simulation === null) throw new Error('no such simulation');
    const decided = [{ recipient: simulated.recipients[0], simulation, startedAt: new Date(), clickUrl: '' }];
    await program.queue.settleSimulated(simulated, decided);
    await program.brakes.flush();
    expect(await counted()).toEqual([{ recipients: 4, hard: 1, complaints: 0 }]);
  });

  it('holds live mail that is due, but not test mail, until the account is resumed', async () => {
    const held = await program.intake.accept(submission(accountId));
    const test = await program.intake.accept(submission(accountId, { mode: 'test' }));
    many(1000, 'hard_bounce');
    await program.brakes.flush();
    expect((await program.queue.claim(50)).map(({ email }) => email.id)).toEqual([test.id]);
    expect(await rows('SELECT is_due FROM recipients WHERE email_id = $1', held.id)).toEqual([{ is_due: false }]);
    expect(await program.queue.releaseHeld()).toBe(0);
    expect(await program.accounts.resume(accountId)).toBe(true);
    expect(await program.accounts.resume(accountId)).toBe(false);
    expect(await program.queue.releaseHeld()).toBe(1);
    expect((await program.queue.claim(50)).map(({ email }) => email.id)).toEqual([held.id]);
    // The old figures do not pause it again.
    many(1, 'hard_bounce');
    await program.brakes.flush();
    expect(await pause()).toBeNull();
    expect(await rows(`SELECT type FROM ${OUTBOX_EVENTS} WHERE type LIKE 'account.%' ORDER BY id`)).toEqual([
      { type: 'account.paused' },
      { type: 'account.resumed' },
    ]);
    expect(
      await rows(`SELECT action FROM audit_log WHERE account_id = $1 ORDER BY id DESC LIMIT 1`, accountId),
    ).toEqual([{ action: 'account.resumed' }]);
  });

  it('refuses live submissions of a paused account, alone and in a batch, but neither test mail nor notices', async () => {
    many(1000, 'hard_bounce');
    await program.brakes.flush();
    await expect(
      new Allowances(fixture.db.database, fixture.db.config).assertNotPaused(accountId),
    ).rejects.toMatchObject({
      code: 'sending_paused',
      row: { status: 403, name: 'invalid_access' },
      details: [{ code: 'sending_paused' }],
    });
    // The program that has seen the account before it was paused knows within a second.
    const { intake } = await fixture.open();
    const refused = expect.objectContaining({ code: 'sending_paused' }) as unknown;
    await expect(intake.accept(submission(accountId))).rejects.toEqual(refused);
    const batch = { permissive: true, idempotency: null };
    await expect(intake.acceptBatch([submission(accountId)], batch)).rejects.toEqual(refused);
    await expect(intake.accept(submission(accountId, { mode: 'test' }))).resolves.toMatchObject({ replayed: false });
    const notice = submission(accountId, { source: 'service' });
    await expect(intake.accept(notice)).resolves.toMatchObject({ replayed: false });
  });
});

describe('mail of the service', () => {
  it.each<[tags: Record<string, string>, sender: string, isSystem: boolean]>([
    [{ notice: 'sending_paused' }, 'postmaster@mail.example', true],
    [{ notice: 'tls_report' }, 'postmaster@mail.example', true],
    [{ notice: 'news' }, 'postmaster@mail.example', false],
    [{ notice: 'sending_paused' }, 'postmaster@customer.example', false],
    [{}, 'postmaster@mail.example', false],
  ])('is known by tag and sender: %j from %s', (tags, sender, isSystem) => {
    expect(systemMail.isOwn({ tags, sender }, 'mail.example')).toBe(isSystem);
  });
});
