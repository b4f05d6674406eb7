import { describe, expect, it } from 'vitest';
import { Cell } from '../../bench/scale/cell.mjs';
import { accountVolumes, imbalance, placeByDirectory, placeByHash } from '../../bench/scale/placement.mjs';
import { dayProfile, failover, hotTenant, ordinaryDay, PEAK_FACTOR, SHAPE } from '../../bench/scale/scenarios.mjs';

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

describe('The simulation of cells', () => {
  it('neither loses nor invents emails', () => {
    const cell = new Cell(SHAPE);
    for (let at = 0; at < 600; at += 1)
      cell.step({ hot: at % 7 === 0 ? 60_000 : 0, others: 3_000 }, at < 100 ? 0.1 : 1);
    for (const kind of ['hot', 'others'] as const) {
      expect(cell.accepted[kind] + cell.waiting[kind]).toBeCloseTo(cell.offered[kind], 3);
      expect(cell.delivered[kind] + cell.queued[kind]).toBeCloseTo(cell.accepted[kind], 3);
    }
    expect(total(Object.values(cell.delivered))).toBeGreaterThan(0);
  });

  it('processes no more than its cores and its write-ahead log permit', () => {
    const cell = new Cell({ ...SHAPE, postgresCores: 1 });
    cell.step({ hot: 0, others: 1e6 });
    for (const busy of Object.values(cell.busy)) expect(busy).toBeLessThanOrEqual(1 + 1e-9);
    expect(cell.busy.postgres).toBeCloseTo(1, 6);
    expect(cell.queued.others).toBeGreaterThan(0);
  });

  it('has a day of the given number of emails', () => {
    expect(total(dayProfile(1e6))).toBeCloseTo(1e6, 3);
    expect(PEAK_FACTOR).toBeGreaterThan(3);
    const { accepted, p99 } = ordinaryDay(1e8);
    expect(accepted).toBeCloseTo(1e8, 0);
    expect(p99).toBe(0);
    expect(ordinaryDay(1e9).p99).toBeGreaterThan(60);
  });

  it('delays mail by as long as a primary is away, and loses none', () => {
    const { lost, longestDelay, longestQueue } = failover({ perSecond: 1_000, outage: 60 });
    expect(lost).toBeCloseTo(0, 3);
    expect(longestDelay).toBe(60);
    expect(longestQueue).toBeCloseTo(60_000, -4);
  });

  it('shows that turns keep one account from delaying the others', () => {
    const load = { perSecond: 2_000, burst: 10_000 };
    const [turns, none] = [hotTenant(load), hotTenant({ ...load, accounts: null })];
    expect(none.others).toBeGreaterThan(10 * Math.max(1, turns.others));
    expect(turns.hot).toBeGreaterThanOrEqual(none.hot);
    expect(hotTenant({ ...load, limit: 1_000 })).toMatchObject({ refused: 9_000 * 600, others: 0 });
  });

  it('places every account, and evenly by a directory', () => {
    const volumes = accountVolumes(10_000, 1e6);
    for (const loads of [placeByDirectory(volumes, 8), placeByHash(volumes, 8)])
      expect(total(loads)).toBeCloseTo(1e6, 3);
    expect(imbalance(placeByDirectory(volumes, 8))).toBeLessThan(1.01);
    expect(imbalance(placeByHash(volumes, 8))).toBeGreaterThan(1.1);
  });
});
