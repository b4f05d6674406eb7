import { AccountHistory, OutboxRelay } from '#libs/bus';
import { newId, wholeAccount, type PageRequest } from '#libs/contracts';
import { databaseClock } from '#libs/kernel';
import { outbox, Database } from '#libs/persistence';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../support/persistence/database.js';
import { busProcess } from '../../support/fixtures/log-harness.js';
import { LOG_EVENTS } from '../../support/persistence/test-database.js';
import { queuedEvents } from '../../support/webhooks/webhooks-harness.js';

const server = process.env['TEST_DATABASE_URL'] as string;
const HOUR_MS = 3_600_000;
const LATEST = 'latest';

describe('pages of events after the clock was set ahead and back', () => {
  let home: TestDatabase;
  let program: Awaited<ReturnType<typeof busProcess>>;
  let database: Database;
  let history: AccountHistory;
  const accountId = newId('acc');

  beforeEach(async () => {
    home = await freshDatabase(server);
    program = await busProcess(home.url);
    database = program.app.get(Database);
    history = program.app.get(AccountHistory);
    await program.app.get(OutboxRelay).start();
  });
  afterEach(async () => {
    databaseClock.setSteps([]);
    await program.stop();
    await home.drop();
  });

  async function append(count: number): Promise<string[]> {
    const events = queuedEvents(accountId, count);
    await outbox.append(database, events);
    const ids = events.map(({ event }) => event.id);
    const inLog = async () =>
      (await database.query(`SELECT FROM ${LOG_EVENTS} WHERE event_id = ANY($1)`, [ids])).rowCount;
    await expect.poll(inLog, { timeout: 20_000 }).toBe(count);
    return ids;
  }
  async function page(request: Partial<PageRequest>, createdBefore?: Date): Promise<string[]> {
    const found = await history.page(wholeAccount(accountId), { limit: 10, ...request }, { createdBefore });
    return (found?.data ?? []).map(({ event }) => event.id);
  }
  /** The clock was ahead when the last events were moved. */
  const setAhead = (interval: string) =>
    database.query('UPDATE event_log_head SET moved_at = now() + $1::interval', [interval]);

  it('show what came after the step back, as the newest and by time', async () => {
    const before = await append(2);
    await setAhead('2 days');
    const after = await append(2);
    const all = [...before, ...after];
    const soon = new Date(Date.now() + 60_000);
    expect(await page({ before: LATEST })).toEqual(all);
    expect(await page({ before: LATEST, limit: 1 })).toEqual(all.slice(-1));
    expect(await page({}, soon)).toEqual(all);
    expect(await page({ before: LATEST }, soon)).toEqual(all);
    expect(await page({ before: all[3] }, soon)).toEqual(all.slice(0, 3));
  });

  it('show it by time also after the clock has caught up', async () => {
    const [id] = await append(1);
    const now = Date.now();
    // It happened 30 hours ago, 2 hours after the clock was set back from what was 3 hours ago.
    await database.query(
      `UPDATE event_log SET created_at[1] = now() - interval '30 hours', moved_at = now() - interval '3 hours'`,
    );
    await database.query(`UPDATE event_log_accounts SET moved_at = (SELECT moved_at FROM event_log)`);
    const until = new Date(now - 29 * HOUR_MS);
    databaseClock.setSteps([{ setBackTo: now - 32 * HOUR_MS, aheadUntil: now - 2 * HOUR_MS }]);
    expect(await page({}, until)).toEqual([id]);
    expect(await page({ before: LATEST }, until)).toEqual([id]);
    expect(await page({}, new Date(now - 31 * HOUR_MS))).toEqual([]);
  });
});
