import { afterEach, describe, expect, it } from 'vitest';
import { CAP, FairnessFixture } from '../../support/delivery/fairness-fixture.js';
import { until } from '../../support/timing/until.js';

/** The stalled servers are silent for longer than the test waits. test/perf measures the latency of the other mail. */
describe('mail to silent servers', () => {
  let fixture: FairnessFixture | undefined;
  afterEach(async () => {
    await fixture?.close();
  });

  it('does not hold up mail to other domains, and takes no more than its share of sockets', async () => {
    fixture = await FairnessFixture.open({ domains: 2 }, 'no banner', 'two-stalled.test');
    const { arrived } = await fixture.beside({ mails: 200, perSecond: 200 });
    expect(arrived).toBe(200);
    expect(fixture.mostSockets).toBeGreaterThan(0);
    expect(fixture.mostSockets).toBeLessThanOrEqual(CAP);
    // The other mails wait in the database; a metric shows for how long.
    expect(await fixture.metric('postloft_deliveries_in_flight')).toBeGreaterThan(0);
    const running = fixture;
    // The outcome of the last mail is still to be recorded.
    await until(async () => (await running.metric('postloft_deliveries_unsettled')) === 0, { what: 'nothing at risk' });
    expect(await fixture.metric('postloft_oldest_due_seconds')).toBeGreaterThan(0);
  });

  it('does not hold up other mail either when one silent server serves many domains', async () => {
    fixture = await FairnessFixture.open({ domains: 80, hosts: 1 }, 'no banner', 'many-stalled.test');
    // Enough to take every delivery slot that is not reserved for other domains.
    await fixture.toStalled({ mails: 480, perSecond: 480 });
    const running = fixture;
    await until(async () => running.mostSockets === CAP, { what: 'every socket that the stalled server may have' });
    const { arrived } = await fixture.alone({ mails: 50, perSecond: 50 });
    expect(arrived).toBe(50);
    expect(fixture.mostSockets).toBeLessThanOrEqual(CAP);
  });
});
