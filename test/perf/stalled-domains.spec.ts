import { afterEach, describe, expect, it } from 'vitest';
import { CAP, FairnessFixture, type Stall } from '../support/delivery/fairness-fixture.js';

const MAILS = Number(process.env['POSTLOFT_STALLED_MAILS'] ?? 5_000);
const PER_SECOND = Number(process.env['POSTLOFT_STALLED_PER_SECOND'] ?? 300);
const CONCURRENCY = 50;
const PROMISED_MS = 2_000;

/** A stalled domain with 5,000 mails beside a healthy one with 5,000, and several stalled domains at once. */
describe('the healthy domain beside the stalled', () => {
  let fixture: FairnessFixture | undefined;
  afterEach(async () => {
    await fixture?.close();
  });

  it.each<[number, Stall]>([
    [1, 'no banner'],
    [1, 'no SYN-ACK'],
    [1, 'silent after the dot'],
    [5, 'no banner'],
    [20, 'no banner'],
    [20, 'silent after the dot'],
  ])(
    'gets its mail within 2 s beside %i: %s',
    async (domains, stall) => {
      fixture = await FairnessFixture.start({ domains }, stall, { DELIVERY_CONCURRENCY: String(CONCURRENCY) });
      const alone = await fixture.alone({ mails: MAILS / 10, perSecond: PER_SECOND / 2 });
      const { p50, p95, max, arrived } = await fixture.beside({ mails: MAILS, perSecond: PER_SECOND });
      const atRisk = await fixture.metric('postloft_deliveries_unsettled');
      console.log(
        `${domains} stalled (${stall}), ${MAILS} + ${MAILS}: healthy p50 ${p50} ms, p95 ${p95} ms, max ${max} ms (alone p95 ${alone.p95} ms); ` +
          `sockets per stalled host at most ${fixture.mostSockets}, mails held by them ${fixture.heldMails}, at risk ${atRisk}`,
      );
      expect(arrived).toBe(MAILS);
      expect(p95).toBeLessThanOrEqual(PROMISED_MS);
      expect(fixture.mostSockets).toBeLessThanOrEqual(CAP);
      expect(fixture.heldMails).toBeLessThanOrEqual(CONCURRENCY);
    },
    // Thirty-three seconds of available time, and the start.
    600_000,
  );
});
