import { databaseClock, Log, Shutdown } from '#libs/kernel';
import { ClockRecord } from '#libs/persistence';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClockSync } from '../../../libs/persistence/src/clock-sync.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

const DAY_MS = 86_400_000;

describe('ClockRecord', () => {
  let db: OpenTestDatabase;
  let record: ClockRecord;
  beforeAll(async () => {
    db = await createTestDatabase();
    record = new ClockRecord(db.database);
  });
  afterEach(async () => {
    databaseClock.setSteps([]);
    await db.database.query('DELETE FROM clock_steps');
    await record.confirm();
  });
  afterAll(() => db?.close());

  /** As if the last reading had shown another time. */
  const sawEarlier = (aheadMs: number) =>
    db.database.query(
      `UPDATE clock_state SET seen_at = clock_timestamp() + $1 * interval '1 ms', trusted_at = seen_at`,
      [aheadMs],
    );
  const synchronise = () => new ClockSync(db.dataSource, Log.quiet(), new Shutdown(Log.quiet())).keepRecord();

  it('moves with the clock, a minute at a time', async () => {
    const { seenAt } = await record.state();
    await record.note(seenAt + 30_000);
    expect((await record.state()).seenAt).toBeCloseTo(seenAt, 0);
    await record.note(seenAt + 61_000);
    expect((await record.state()).seenAt).toBeCloseTo(seenAt + 61_000, 0);
    expect(await record.steps()).toEqual([]);
  });

  it('is not plausible after a jump ahead of more than a day until it is confirmed', async () => {
    await sawEarlier(-3 * DAY_MS);
    await db.database.query(`UPDATE clock_state SET trusted_at = clock_timestamp() - interval '3 days'`);
    expect(await record.suspicion(Date.now())).not.toBeNull();
    await synchronise();
    const found = await record.suspicion(Date.now());
    expect(Number(found?.trustedFrom) - Date.now()).toBeGreaterThan(6 * DAY_MS);
    await record.confirm();
    await synchronise();
    expect(await record.suspicion(Date.now())).toBeNull();
    expect(await record.suspicion(Date.now() + 2 * DAY_MS)).not.toBeNull();
  });

  it('keeps steps back, which widen the times of ids and positions', async () => {
    const created = new Date();
    expect(databaseClock.latestOf(created)).toEqual(created);
    await sawEarlier(2 * DAY_MS);
    await synchronise();
    const latest = databaseClock.latestOf(created).getTime();
    expect(latest).toBeGreaterThanOrEqual(Date.now() + 2 * DAY_MS);
    expect(latest).toBeLessThan(Date.now() + 2 * DAY_MS + 300_000);
    // Before the step and after the clock has caught up, ids have the time at which they were made.
    for (const days of [-1, 3]) {
      const other = new Date(Date.now() + days * DAY_MS);
      expect(databaseClock.latestOf(other)).toEqual(other);
    }
    await synchronise();
    expect(await record.steps()).toHaveLength(1);
  });
});
