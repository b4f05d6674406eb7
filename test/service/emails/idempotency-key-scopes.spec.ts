import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { passTime } from '../../support/timing/clock.js';
import {
  openQueueFixture,
  submission,
  type QueueProcess,
  type QueueFixture,
} from '../../support/delivery/queue-fixture.js';

/** A mail over SMTP may be known by two lists of recipients (docs/decisions/011). */
describe('a key of two scopes', () => {
  let fixture: QueueFixture;
  let program: QueueProcess;
  beforeAll(async () => {
    fixture = await openQueueFixture();
    program = await fixture.open();
  });
  afterAll(() => fixture?.close());
  beforeEach(async () => {
    for (const table of ['emails', 'recipients', 'email_contents', 'outbox', 'idempotency_keys'])
      await fixture.db.database.query(`DELETE FROM ${table}`);
  });

  const rows = async <R>(sql: string, ...values: unknown[]) => (await fixture.db.database.query<R>(sql, values)).rows;
  const accept = (over: Parameters<typeof submission>[1] = {}) =>
    program.intake.accept(submission(fixture.accountId, over));
  const keyed = (scope: string, alias?: string) => accept({ idempotency: { scope, alias, key: 'k', bodyHash: null } });

  it('knows a mail by the second scope of its key too', async () => {
    const { id } = await keyed('all', 'taken');
    expect(await keyed('all', 'others')).toEqual({ id, replayed: true });
    expect(await keyed('more', 'taken')).toEqual({ id, replayed: true });
    expect(await keyed('taken')).toEqual({ id, replayed: true });
    // Of a repetition nothing is kept.
    expect((await keyed('others')).replayed).toBe(false);
    expect((await keyed('more')).replayed).toBe(false);
    // In one group, in whatever order the scopes are taken.
    for (const [one, other] of [
      [keyed('left', 'common'), keyed('right', 'common')],
      [keyed('a'), keyed('b', 'a')],
      [keyed('d', 'c'), keyed('c')],
    ]) {
      // Groups on two connections may finish in another order than they began.
      const both = await Promise.all([one, other]);
      expect(both.filter(({ replayed }) => replayed)).toHaveLength(1);
      expect(both[1].id).toBe(both[0].id);
    }
    expect(await rows('SELECT count(*)::int AS mails FROM emails')).toEqual([{ mails: 6 }]);
  });

  it('keeps neither scope of a key whose mail the allowance refuses', async () => {
    const plan = async (name: string) => {
      await rows('UPDATE accounts SET plan = $2 WHERE id = $1', fixture.accountId, name);
      // A change counts within a second.
      passTime(1_000);
    };
    await plan('1');
    const within = await keyed('taken');
    await expect(keyed('more', 'spare')).rejects.toMatchObject({ code: 'monthly_quota_exceeded' });
    // A repetition takes nothing of its mail with it when it goes.
    expect(await keyed('all', 'taken')).toEqual({ id: within.id, replayed: true });
    await plan('unlimited');
    expect(await keyed('taken')).toEqual({ id: within.id, replayed: true });
    expect((await keyed('spare')).replayed).toBe(false);
    expect((await keyed('more')).replayed).toBe(false);
  });
});
