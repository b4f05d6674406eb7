import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RetryFixture, type RetriedMail } from '../../support/delivery/retry-fixture.js';

/** The settings of the service `delivery`. test/chaos measures how late attempts are. */
const PLAN = {
  stepsMs: [1_000, 2_000],
  lifetimeMs: 16_000,
  askedSeconds: 5,
  mails: { refuses: 10, greylists: 10, asks: 5, cuts: 3, resets: 3, 'falls-silent': 2 },
  cuts: 1,
};

describe('the retry schedule, with hours as seconds', () => {
  let fixture: RetryFixture;
  beforeAll(async () => {
    fixture = await RetryFixture.open(PLAN, 'retry-schedule.test');
    await fixture.send();
    await fixture.ended(60_000);
  });
  afterAll(() => fixture?.close());

  const of = (...kinds: RetriedMail['kind'][]) => fixture.mails.filter(({ kind }) => kinds.includes(kind));

  it('is kept: no attempt is early', () => {
    const intervals = fixture.intervals();
    expect(intervals.length).toBeGreaterThanOrEqual(50);
    expect(intervals.filter(({ ms, expectedMs }) => ms < expectedMs - 1)).toEqual([]);
  });

  it('ends with exactly one final event per recipient, in the log and at the endpoint', async () => {
    const ids = fixture.mails.map(({ id }) => id).sort();
    const logged = await fixture.finalEvents();
    expect(logged.map(({ data }) => data.email_id).sort()).toEqual(ids);
    const called = await fixture.finalCalls(ids.length);
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
      expect(fixture.copies(address), address).toBe(2);
    }
    for (const { address } of of('greylists', 'asks')) expect(fixture.copies(address), address).toBe(1);
    for (const { address } of of('refuses')) expect(fixture.copies(address), address).toBe(0);
    // Other files count on the same service; test/chaos compares the exact numbers.
    expect(await fixture.attemptsBy('unknown_outcome')).toBeGreaterThanOrEqual(cut.length);
    expect(await fixture.attemptsBy('delivered')).toBeGreaterThanOrEqual(fixture.mails.length - of('refuses').length);
  });
});
