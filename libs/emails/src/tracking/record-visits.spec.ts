import type { DeliveryPolicies } from '#libs/domains';
import { LocalNotifications, Log, Metrics, Shutdown } from '#libs/kernel';
import type { Database } from '#libs/persistence';
import { beforeEach, describe, expect, it } from 'vitest';
import { RecordVisits } from './record-visits.js';

/** The database does not answer, so nothing leaves the memory. */
const database = { transactionWithRetry: () => new Promise(() => undefined) } as unknown as Database;
const idOf = (number: number) => `em_${String(number).padStart(32, '0')}`;

describe('RecordVisits in a flood', () => {
  let metrics: Metrics;
  let visits: RecordVisits;
  beforeEach(() => {
    metrics = new Metrics();
    const [policies, shutdown] = [{} as DeliveryPolicies, new Shutdown(Log.quiet())];
    visits = new RecordVisits(database, policies, new LocalNotifications(), shutdown, Log.quiet(), metrics);
  });

  const open = (emailId: string) =>
    visits.add({
      ...{ emailId, ordinal: 0, kind: 'open', url: '', at: new Date(), address: null, userAgent: null, bot: null },
    });
  const dropped = async () => {
    const line = /_visits_total\{kind="open",outcome="dropped"\} (\d+)/.exec(await metrics.registry.metrics());
    return Number(line?.[1] ?? 0);
  };

  it('keeps at most 20,000 visits in memory, and counts the others', async () => {
    for (let i = 0; i < 20_000; i += 1) open(idOf(i));
    expect(await dropped()).toBe(0);
    for (let i = 0; i < 5_000; i += 1) open(idOf(20_000 + i));
    expect(await dropped()).toBe(5_000);
  });

  it('keeps at most 20 visits of one recipient, and those of all others', async () => {
    for (let i = 0; i < 1_000; i += 1) open(idOf(1));
    expect(await dropped()).toBe(980);
    open(idOf(2));
    expect(await dropped()).toBe(980);
  });
});
