import { afterEach, describe, expect, it } from 'vitest';
import { FairnessFixture } from '../support/delivery/fairness-fixture.js';

const LOAD = { mails: 400, perSecond: 200 };
/** Shorter control values are treated as this one. */
const LEAST_MS = 100;
const RATIO = 10;
/** Time for mail to the stalled server to take every slot that it can get. */
const STALL_MS = 8_000;

/** Latency of mail beside servers that are silent; full numbers are in stalled-domains. */
describe('mail beside servers that never speak', () => {
  let fixture: FairnessFixture | undefined;
  afterEach(async () => {
    await fixture?.close();
  });

  it('takes hardly longer than mail alone', async () => {
    fixture = await FairnessFixture.start({ domains: 2 }, 'no banner');
    const control = await fixture.alone({ mails: 200, perSecond: 100 });
    const { p95, arrived } = await fixture.beside(LOAD);
    console.log(`alone p95 ${control.p95} ms, beside ${p95} ms; sockets to a stalled host: ${fixture.mostSockets}`);
    expect(arrived).toBe(LOAD.mails);
    expect(p95 / Math.max(control.p95, LEAST_MS)).toBeLessThan(RATIO);
  });

  it('takes no more than 2 s when one server that never speaks serves many domains', async () => {
    fixture = await FairnessFixture.start({ domains: 80, hosts: 1 }, 'no banner');
    await fixture.toStalled({ mails: 480, perSecond: 480 });
    await new Promise((resolve) => setTimeout(resolve, STALL_MS));
    const { p95, arrived } = await fixture.alone({ mails: 50, perSecond: 25 });
    console.log(`beside one server of 80 domains p95 ${p95} ms; sockets there: ${fixture.mostSockets}`);
    expect(arrived).toBe(50);
    expect(p95).toBeLessThan(2_000);
  });
});
