import { afterEach, describe, expect, it } from 'vitest';
import { CAP, FairnessStage } from '../support/fairness-stage.js';
import { until } from '../support/until.js';

const LOAD = { mails: 400, perSecond: 200 };
/** What the control took may be next to nothing. */
const LEAST_MS = 100;
const RATIO = 10;

/** The promised counts are in test/heavy. */
describe('mail to servers that never speak', () => {
  let stage: FairnessStage | undefined;
  afterEach(async () => {
    await stage?.close();
  });

  it('costs mail to others nothing, and no more than its share of sockets', async () => {
    stage = await FairnessStage.open({ domains: 2 }, 'no banner');
    const control = await stage.alone({ mails: 200, perSecond: 100 });
    const { p95, arrived } = await stage.beside(LOAD);
    console.log(`alone p95 ${control.p95} ms, beside ${p95} ms; sockets to a stalled host: ${stage.mostSockets}`);
    expect(arrived).toBe(LOAD.mails);
    expect(p95 / Math.max(control.p95, LEAST_MS)).toBeLessThan(RATIO);
    expect(stage.mostSockets).toBeGreaterThan(0);
    expect(stage.mostSockets).toBeLessThanOrEqual(CAP);
    // What is not under way waits in the database, and the operator sees for how long.
    expect(await stage.metric('postloft_deliveries_in_flight')).toBeGreaterThan(0);
    const running = stage;
    // The last arrival is still to be written down.
    await until(async () => (await running.metric('postloft_deliveries_at_risk')) === 0, { what: 'nothing at risk' });
    expect(await stage.metric('postloft_oldest_due_seconds')).toBeGreaterThan(0);
  });

  it('costs mail to others nothing either when one server that never speaks serves many domains', async () => {
    stage = await FairnessStage.open({ domains: 80, hosts: 1 }, 'no banner');
    // Enough that mail which only waits for that server would take every place that is not kept for quick domains.
    await stage.toStalled({ mails: 480, perSecond: 480 });
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    const { p95, arrived } = await stage.alone({ mails: 50, perSecond: 25 });
    console.log(`beside one server of 80 domains p95 ${p95} ms; sockets there: ${stage.mostSockets}`);
    expect(arrived).toBe(50);
    expect(p95).toBeLessThan(2_000);
    expect(stage.mostSockets).toBeLessThanOrEqual(CAP);
  });
});
