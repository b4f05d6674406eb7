import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LadderStage, type LadderMail } from '../support/retry-ladder.js';

/** Steps of seconds: a server that is slow by a tenth of one for forty mails at once is within what is allowed beside jitter. */
const PLAN = {
  stepsMs: [4_000, 6_000],
  lifetimeMs: 13_000,
  askedSeconds: 8,
  mails: { refuses: 10, greylists: 10, asks: 5, cuts: 3, resets: 3, 'falls-silent': 2 },
  cuts: 1,
};
/** Jitter takes 10 of these 15 parts of a hundred; the count is low, so one that a busy machine delays is allowed. */
const LATEST = 1.15;

describe('the ladder of retries, with hours as seconds', () => {
  let stage: LadderStage;
  beforeAll(async () => {
    stage = await LadderStage.start(PLAN);
    await stage.send();
    await stage.ended(40_000);
  });
  afterAll(() => stage?.close());

  const of = (...kinds: LadderMail['kind'][]) => stage.mails.filter(({ kind }) => kinds.includes(kind));

  it('is kept: never early, late by jitter alone', () => {
    const intervals = stage.intervals();
    expect(intervals.length).toBeGreaterThanOrEqual(50);
    expect(intervals.filter(({ ms, expectedMs }) => ms < expectedMs - 1)).toEqual([]);
    const late = intervals.filter(({ ms, expectedMs, last }) => !last && ms > LATEST * expectedMs);
    expect(late.length, JSON.stringify(late)).toBeLessThanOrEqual(0.1 * intervals.length);
  });

  it('ends with exactly one final event per recipient, in the log and at the endpoint', async () => {
    const ids = stage.mails.map(({ id }) => id).sort();
    const logged = await stage.finalEvents();
    expect(logged.map(({ data }) => data.email_id).sort()).toEqual(ids);
    const called = await stage.finalCalls(ids.length);
    expect(called.map(({ id }) => id).sort()).toEqual(logged.map(({ id }) => id).sort());
    for (const { type, data } of logged) {
      const refused = data.recipient.includes('.refuses.');
      expect(type, data.recipient).toBe(refused ? 'email.failed' : 'email.delivered');
      if (refused) expect(data.reason).toMatch(/^expired: Not now, and not later$/);
    }
  });

  it('delivers a greylisted mail at the second attempt, and waits as long as a server asks', () => {
    for (const { attempts } of of('greylists', 'asks'))
      expect(attempts.map(({ outcome }) => outcome)).toEqual(['deferred', 'delivered']);
    for (const { attempts } of of('asks')) {
      expect(attempts[0].smtp?.text).toBe(`We do not know you yet. Try again in ${PLAN.askedSeconds} seconds`);
      expect(Date.parse(attempts[1].started_at) - Date.parse(attempts[0].ended_at)).toBeGreaterThanOrEqual(
        PLAN.askedSeconds * 1000,
      );
    }
  });

  it('counts unknown outcomes apart, and doubles no mail but those whose answer was cut', async () => {
    const cut = of('cuts', 'resets', 'falls-silent');
    for (const { attempts, address } of cut) {
      expect(attempts.map(({ certainty }) => certainty)).toEqual(['unknown_outcome', null]);
      expect(stage.copies(address), address).toBe(2);
    }
    for (const { address } of of('greylists', 'asks')) expect(stage.copies(address), address).toBe(1);
    for (const { address } of of('refuses')) expect(stage.copies(address), address).toBe(0);
    expect(await stage.attemptsBy('unknown_outcome')).toBe(cut.length);
    expect(await stage.attemptsBy('delivered')).toBe(stage.mails.length - of('refuses').length);
  });
});
