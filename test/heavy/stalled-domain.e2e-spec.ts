import { afterEach, describe, expect, it } from 'vitest';
import { CAP, FairnessStage, type Stall } from '../support/fairness-stage.js';

const MAILS = Number(process.env['POSTLOFT_STALLED_MAILS'] ?? 5_000);
const PER_SECOND = Number(process.env['POSTLOFT_STALLED_PER_SECOND'] ?? 300);
const CONCURRENCY = 50;
const PROMISED_MS = 2_000;

/** one domain stalled with 5,000 mails beside a healthy one with 5,000; and several stalled at once. */
describe('the healthy domain beside the stalled', () => {
  let stage: FairnessStage | undefined;
  afterEach(async () => {
    await stage?.close();
  });

  it.each<[number, Stall]>([
    [1, 'no banner'],
    [1, 'no SYN-ACK'],
    [1, 'silent after the dot'],
    [5, 'no banner'],
    [20, 'no banner'],
    [20, 'silent after the dot'],
  ])(
    'has its mail within 2 s beside %i: %s',
    async (domains, stall) => {
      stage = await FairnessStage.open({ domains }, stall, { DELIVERY_CONCURRENCY: String(CONCURRENCY) });
      const alone = await stage.alone({ mails: MAILS / 10, perSecond: PER_SECOND / 2 });
      const { p50, p95, max, arrived } = await stage.beside({ mails: MAILS, perSecond: PER_SECOND });
      const atRisk = await stage.metric('postloft_deliveries_at_risk');
      console.log(
        `${domains} stalled (${stall}), ${MAILS} + ${MAILS}: healthy p50 ${p50} ms, p95 ${p95} ms, max ${max} ms (alone p95 ${alone.p95} ms); ` +
          `sockets per stalled host at most ${stage.mostSockets}, mails held by them ${stage.heldMails}, at risk ${atRisk}; the host took ${Math.round(100 * stage.taken)} %`,
      );
      expect(arrived).toBe(MAILS);
      expect(p95).toBeLessThanOrEqual(PROMISED_MS);
      expect(stage.mostSockets).toBeLessThanOrEqual(CAP);
      expect(stage.heldMails).toBeLessThanOrEqual(CONCURRENCY);
    },
    // Thirty-three seconds of given time, and the start.
    600_000,
  );
});
