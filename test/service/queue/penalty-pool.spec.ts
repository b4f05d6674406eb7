import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountPenalty } from '../../../libs/accounts/src/account.resource.js';
import { NO_REMOTE, type Outcome } from '#libs/mta';
import {
  openQueueFixture,
  submission,
  type QueueFixture,
  type QueueProcess,
} from '../../support/delivery/queue-fixture.js';
import { OUTBOX_EVENTS } from '../../support/persistence/test-database.js';

const PENALTY_POOL = { sources: [{ address: '127.0.0.9', helo: null }] };

/** At the default limits: 500 recipients, 5% permanent bounces, 0.2% complaints, 5% block replies, 7 clean days. */
describe('the penalty pool', () => {
  let fixture: QueueFixture;
  let program: QueueProcess;
  let accountId: string;
  let otherId: string;
  beforeAll(async () => {
    fixture = await openQueueFixture(undefined, { PENALTY_POOL });
    program = await fixture.open();
    ({ accountId } = fixture);
    ({ id: otherId } = await program.accounts.create({ name: 'Other', plan: 'free' }));
  });
  afterAll(() => fixture?.close());
  beforeEach(async () => {
    await program.brakes.flush();
    await rows(`UPDATE accounts SET penalty = NULL, pool_choice = 'auto', sending_pause = NULL, abuse_limits = '{}'`);
    for (const table of ['sending_outcomes', 'notices', 'outbox', 'audit_log', 'recipients', 'emails'])
      await rows(`DELETE FROM ${table}`);
    await program.penaltyPool.refresh();
  });

  const rows = async <R>(sql: string, ...values: unknown[]) => (await fixture.db.database.query<R>(sql, values)).rows;
  const penalty = async () => (await program.accounts.view(accountId)).penalty;
  const events = () =>
    rows<{ data: object }>(`SELECT data FROM ${OUTBOX_EVENTS} WHERE type = 'account.pool_changed' ORDER BY id`);
  function many(count: number, outcome: 'hard_bounce' | 'other', of = accountId): void {
    for (let i = 0; i < count; i++) program.brakes.count(of, outcome);
  }
  function blocks(count: number, of = accountId): void {
    for (let i = 0; i < count; i++) program.brakes.countBlock(of);
  }
  const complain = () =>
    fixture.db.database.transaction((tx) => program.brakes.countReport(tx, accountId, 'complaint'));

  it('gets an account that exceeds a limit at once, with event, notice and audit entry, before the brakes pause it', async () => {
    many(500, 'other');
    await complain();
    await program.brakes.flush();
    expect(await penalty()).toBeNull();
    await complain();
    await program.brakes.flush();
    const figures = { reason: 'complaints', recipients: 500, complaints: 2, limit_percent: 0.2 };
    expect(await penalty()).toMatchObject({ ...figures, clean_days: [] });
    expect(await program.accounts.view(accountId)).toMatchObject({ pool: 'penalty', status: 'active' });
    expect([...program.brakes.penalised]).toEqual([accountId]);
    expect(await events()).toMatchObject([{ data: { pool: 'penalty', ...figures } }]);
    expect(await rows('SELECT kind, facts FROM notices')).toMatchObject([
      { kind: 'account.pool_changed', facts: { pool: 'penalty', ...figures } },
    ]);
    expect(await rows('SELECT account_id, actor, action, details FROM audit_log')).toEqual([
      {
        account_id: accountId,
        actor: 'service',
        action: 'account.pool_changed',
        details: { pool: 'penalty', reason: 'complaints' },
      },
    ]);
    many(1, 'hard_bounce');
    await program.brakes.flush();
    expect(await events()).toHaveLength(1);
  });

  it('is known to other programs', async () => {
    const other = await fixture.open();
    many(500, 'hard_bounce');
    await program.brakes.flush();
    expect(other.brakes.penalised.size).toBe(0);
    await other.penaltyPool.refresh();
    expect([...other.brakes.penalised]).toEqual([accountId]);
  });

  it('takes an account for block replies that others do not get, also for those that only defer', async () => {
    many(2_000, 'other', otherId);
    blocks(500);
    await program.brakes.flush();
    expect(await penalty()).toMatchObject({ reason: 'blocks', recipients: 0, blocks: 500, limit_percent: 5 });
  });

  it('takes nobody for block replies that everybody gets', async () => {
    many(2_000, 'other', otherId);
    blocks(1_500, otherId);
    await program.brakes.flush();
    await rows('UPDATE accounts SET penalty = NULL');
    many(500, 'other');
    blocks(400);
    await program.brakes.flush();
    expect(await rows('SELECT id FROM accounts WHERE penalty IS NOT NULL AND id = $1', accountId)).toEqual([]);
  });

  it('counts replies about the message and its sender as blocks, and neither full mailboxes nor greylisting', async () => {
    const toAddresses = ['a', 'b', 'c', 'd'].map((name) => `${name}@recipient.example`);
    const { id } = await program.intake.accept(submission(accountId, { toAddresses }));
    const job = (await program.queue.claim(50)).find(({ email }) => email.id === id);
    if (!job) throw new Error('the message was not claimed');
    const reply = { code: 421, enhanced: '4.7.0', text: 'blocked' };
    const common = { remote: { ...NO_REMOTE, mx: 'mx.example' }, startedAt: new Date(), endedAt: new Date(), reply };
    const put = { ...common, kind: 'deferred', phase: 'mail', certainty: 'answered' } as const;
    const outcomes: Outcome[] = [
      { ...put, key: '0', class: 'policy' },
      { ...common, key: '1', kind: 'bounced', phase: 'dot', class: 'policy', bounceType: 'soft' },
      { ...put, key: '2', class: 'deferral' },
      { ...common, key: '3', kind: 'bounced', phase: 'rcpt', class: 'quota', bounceType: 'soft' },
    ];
    await program.queue.settle(job, outcomes);
    await program.brakes.flush();
    expect(
      await rows('SELECT recipients::int, blocks::int FROM sending_outcomes WHERE account_id = $1', accountId),
    ).toEqual([{ recipients: 2, blocks: 2 }]);
  });

  it('is left after some days with emails and within all limits, and the owner is told', async () => {
    many(500, 'hard_bounce');
    await program.brakes.flush();
    await rows('DELETE FROM sending_outcomes');
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    const set = (change: Partial<AccountPenalty>) =>
      rows('UPDATE accounts SET penalty = penalty || $1 WHERE id = $2', JSON.stringify(change), accountId);
    await set({ exceeded_on: ago(8), clean_days: [6, 5, 4, 3, 2, 1].map(ago) });
    many(1, 'other');
    await program.brakes.flush();
    expect((await penalty())?.clean_days).toEqual([6, 5, 4, 3, 2, 1, 0].map(ago));
    await program.penaltyPool.refresh();
    expect(await penalty()).not.toBeNull();
    await set({ clean_days: [7, 6, 5, 4, 3, 2, 1].map(ago) });
    await program.penaltyPool.refresh();
    expect(await penalty()).toBeNull();
    expect(program.brakes.penalised.size).toBe(0);
    expect((await events()).at(-1)).toMatchObject({
      data: { pool: 'default', reason: 'clean_days', recipients: null },
    });
    expect(await rows('SELECT cause FROM notices ORDER BY cause')).toEqual([
      { cause: 'account.pool_changed default' },
      { cause: 'account.pool_changed penalty' },
    ]);
  });

  it('begins anew for an account that exceeds a limit on a later day', async () => {
    many(500, 'hard_bounce');
    await program.brakes.flush();
    await rows(`UPDATE accounts SET penalty = penalty || '{"exceeded_on":"2026-01-01","clean_days":["2026-01-02"]}'`);
    many(1, 'other');
    await program.brakes.flush();
    expect(await penalty()).toMatchObject({
      exceeded_on: new Date().toISOString().slice(0, 10),
      clean_days: [],
    });
  });

  it('is where the operator moves an account, whatever the limits say', async () => {
    await program.accounts.setPool(accountId, 'penalty');
    await program.accounts.setPool(accountId, 'penalty');
    await program.penaltyPool.refresh();
    expect([...program.brakes.penalised]).toEqual([accountId]);
    expect(await penalty()).toMatchObject({ reason: 'operator', limit_percent: null, exceeded_on: null });
    many(1, 'other');
    await program.brakes.flush();
    expect((await penalty())?.clean_days).toEqual([]);
    await program.accounts.setPool(accountId, 'default');
    many(500, 'hard_bounce');
    await program.brakes.flush();
    expect(await penalty()).toBeNull();
    await program.accounts.setPool(accountId, 'auto');
    many(1, 'other');
    await program.brakes.flush();
    expect(await penalty()).toMatchObject({ reason: 'bounces' });
    expect((await events()).map(({ data }) => (data as { pool: string; reason: string }).pool)).toEqual([
      'penalty',
      'default',
      'penalty',
    ]);
    expect(await rows(`SELECT details FROM audit_log WHERE actor = 'operator' ORDER BY id`)).toEqual(
      [
        ['auto', 'penalty'],
        ['penalty', 'default'],
        ['default', 'auto'],
      ].map(([from, to]) => ({ details: { from, to } })),
    );
  });

  it('lets limits of an account replace those of the brakes', async () => {
    await program.accounts.setAbuseLimits(accountId, { bounce_percent: 60 });
    many(500, 'hard_bounce');
    many(500, 'other');
    await program.brakes.flush();
    expect((await program.accounts.view(accountId)).sending_pause).toBeNull();
    await program.accounts.setAbuseLimits(accountId, { bounce_percent: null });
    many(1, 'other');
    await program.brakes.flush();
    expect((await program.accounts.view(accountId)).sending_pause).toMatchObject({ limit_percent: 10 });
  });

  it('keeps its closed queue from the mail of others, and theirs from its mail', async () => {
    const until = new Date(Date.now() + 3_600_000);
    const reason = { kind: 'suspended', queue: '', source: null, text: '', words: null, mx: null } as const;
    await program.intake.accept(submission(accountId, { toAddresses: ['a@closed.example'] }));
    await program.queue.claim(0);
    const closed = { domains: ['closed.example'], until, reason };
    expect(await program.queue.requeueDomains({ ...closed, isPenalty: true })).toBe(0);
    await program.accounts.setPool(accountId, 'penalty');
    await program.penaltyPool.refresh();
    expect(await program.queue.requeueDomains({ ...closed, isPenalty: false })).toBe(0);
    expect(await program.queue.requeueDomains({ ...closed, isPenalty: true })).toBe(1);
  });
});

describe('without a penalty pool', () => {
  let fixture: QueueFixture;
  beforeAll(async () => {
    fixture = await openQueueFixture();
  });
  afterAll(() => fixture?.close());

  it('nobody is moved, and the operator cannot move anybody', async () => {
    const program = await fixture.open();
    for (let i = 0; i < 600; i++) program.brakes.count(fixture.accountId, 'hard_bounce');
    await program.brakes.flush();
    expect((await program.accounts.view(fixture.accountId)).pool).toBe('default');
    await expect(program.accounts.setPool(fixture.accountId, 'penalty')).rejects.toMatchObject({
      code: 'validation_error',
      details: [{ field: 'pool', code: 'no_penalty_pool' }],
    });
  });
});
