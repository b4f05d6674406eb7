import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openErasureFixture, type ErasureFixture } from '../../support/fixtures/erasure-fixture.js';

const ADDRESS = 'ada@recipient.example';
const MESSAGES = 150;

describe('the cost of an erasure', () => {
  let fixture: ErasureFixture;
  beforeAll(async () => {
    // One connection, whose counters are read at once.
    fixture = await openErasureFixture(1);
  });
  afterAll(() => fixture?.queue.close());

  const counted = async (): Promise<Record<string, number>> => {
    const names = ['emails', 'recipients', 'attempts', 'event_log'];
    const counts: [string, number][] = [];
    for (const name of names) {
      const [{ n }] = await fixture.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${name}`);
      counts.push([name, n]);
    }
    return Object.fromEntries(counts);
  };
  /** Row versions that were written since the start of the database, by table; the transactions of this worker are reported at once. */
  const written = async (): Promise<Record<string, number>> => {
    await fixture.rows(`SELECT pg_stat_force_next_flush()`);
    await fixture.rows(`SELECT pg_stat_clear_snapshot()`);
    const found = await fixture.rows<{ name: string; n: number }>(
      `SELECT regexp_replace(relname, '_(default|\\d{8})$', '') AS name, sum(n_tup_upd)::int AS n
         FROM pg_stat_user_tables GROUP BY 1`,
    );
    return Object.fromEntries(found.map(({ name, n }) => [name, n]));
  };

  it('rewrites each row once, and no row without the address', async () => {
    for (let i = 0; i < MESSAGES; i += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, j) => fixture.accept([ADDRESS, `other${i + j}@recipient.example`])),
      );
    await fixture.deliverAll();
    await fixture.moveOutbox();
    const stored = await counted();
    const before = await written();
    const { id } = await fixture.erasures.request(fixture.queue.accountId, ADDRESS, { actor: 'key_test' });
    await fixture.finish(id);
    const after = await written();
    const updates = Object.fromEntries(Object.keys(stored).map((name) => [name, after[name] - (before[name] ?? 0)]));
    expect(updates).toEqual({
      emails: MESSAGES,
      recipients: MESSAGES,
      attempts: MESSAGES,
      event_log: stored['event_log'],
    });
  });
});
