import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openErasureFixture, type ErasureFixture } from '../../support/fixtures/erasure-fixture.js';

describe('erasures of several accounts', () => {
  let fixture: ErasureFixture;
  beforeAll(async () => {
    fixture = await openErasureFixture();
  });
  afterAll(() => fixture?.queue.close());
  beforeEach(() => fixture.rows('DELETE FROM erasures'));

  const request = (accountId: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        fixture.erasures.request(accountId, `user${i}@recipient.example`, { actor: 'key_test' }),
      ),
    );
  /** Every erasure is due at once, so that only the order of the claims counts. */
  async function rounds(done: () => Promise<boolean>): Promise<number> {
    const runner = fixture.runner();
    for (let n = 0; ; n++) {
      if (await done()) return n;
      if (n > 2_000) throw new Error('the erasure does not end');
      await fixture.rows('UPDATE erasures SET due_at = least(due_at, now()) WHERE finished_at IS NULL');
      await runner.round();
    }
  }
  const isCompleted = async (accountId: string, id: string) =>
    (await fixture.erasures.find(accountId, id))?.status === 'completed';

  it.each(['acc_0', 'acc_zzz'])('do not hold up the only one of %s behind the many of another', async (small) => {
    const [alone] = await request(small, 1);
    const needed = await rounds(() => isCompleted(small, alone.id));
    await fixture.rows('DELETE FROM erasures');
    await request('acc_many', 40);
    const [one] = await request(small, 1);
    expect(await rounds(() => isCompleted(small, one.id))).toBeLessThanOrEqual(2 * needed + 2);
  });

  it('finishes those of one account in the order of the requests', async () => {
    const all = await request('acc_many', 5);
    const [first] = all.map(({ id }) => id).sort();
    await rounds(() => isCompleted('acc_many', first));
    const completed = await Promise.all(all.map(({ id }) => isCompleted('acc_many', id)));
    expect(completed.filter(Boolean)).toHaveLength(1);
  });
});
