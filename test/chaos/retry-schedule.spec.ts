import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mail } from '../support/samples/mail.js';
import { RetryFixture, type Interval, type RetriedMail } from '../support/delivery/retry-fixture.js';
import { until } from '../support/timing/until.js';

const PLAN = {
  stepsMs: [20_000, 30_000],
  lifetimeMs: 95_000,
  askedSeconds: 25,
  mails: { refuses: 260, greylists: 100, asks: 60, cuts: 40, resets: 40, 'falls-silent': 20 },
  cuts: 2,
};
const RETRIES = 1_000;
const LATEST = 1.15;
/** The shortest that the API accepts. */
const EXPIRES_IN_SECONDS = 300;

/** A thousand retries, with hours as seconds and everything else unchanged. */
describe('a thousand retries', () => {
  let fixture: RetryFixture;
  let expiring: string;
  beforeAll(async () => {
    fixture = await RetryFixture.start(PLAN);
    const body = mail({ to: 'expiring@0.refuses.ladder.test', expires_in: EXPIRES_IN_SECONDS });
    expiring = ((await (await fixture.sender.call('POST', '/emails', body)).json()) as { id: string }).id;
    await fixture.send();
    await fixture.ended(180_000);
  }, 240_000);
  afterAll(() => fixture?.close());

  const of = (...kinds: RetriedMail['kind'][]) => fixture.mails.filter(({ kind }) => kinds.includes(kind));
  const finals = async () => (await fixture.finalEvents()).filter(({ data }) => data.email_id !== expiring);

  it('keep to the ladder, each of them: never early, at most 15% late', () => {
    const intervals = fixture.intervals();
    const [ends, steps] = [true, false].map((last) => intervals.filter((one) => one.last === last));
    console.info(
      `${summary(steps)}\nlast attempts were late by ${spread(ends.map(({ ms, expectedMs }) => ms - expectedMs))} ms`,
    );
    expect(steps.length).toBeGreaterThanOrEqual(RETRIES);
    expect(intervals.filter(({ ms, expectedMs }) => ms < expectedMs - 1)).toEqual([]);
    expect(steps.filter(({ ms, expectedMs }) => ms > LATEST * expectedMs)).toEqual([]);
  });

  it('end with exactly one final event per recipient, in the log and at the endpoint', async () => {
    const ids = fixture.mails.map(({ id }) => id).sort();
    const logged = await finals();
    expect(logged.map(({ data }) => data.email_id).sort()).toEqual(ids);
    const called = (await fixture.finalCalls(ids.length)).filter(({ data }) => data.email_id !== expiring);
    expect(called.map(({ id }) => id).sort()).toEqual(logged.map(({ id }) => id).sort());
    const failed = logged.filter(({ type }) => type === 'email.failed').map(({ data }) => data.email_id);
    expect(failed.sort()).toEqual(
      of('refuses')
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('deliver what was greylisted at the second attempt, and wait as long as a server asks', () => {
    for (const { attempts } of of('greylists', 'asks'))
      expect(attempts.map(({ outcome }) => outcome)).toEqual(['deferred', 'delivered']);
    for (const { attempts } of of('asks')) {
      const waited = Date.parse(attempts[1].started_at) - Date.parse(attempts[0].ended_at);
      expect(waited).toBeGreaterThanOrEqual(1_000 * PLAN.askedSeconds);
    }
  });

  it('count unknown outcomes apart; mails arrive once more for each answer that was cut, and for nothing else', async () => {
    const cut = of('cuts', 'resets', 'falls-silent');
    for (const { attempts, address } of cut) {
      const unknown = attempts.filter(({ certainty }) => certainty === 'unknown_outcome');
      expect(unknown).toHaveLength(PLAN.cuts);
      expect(fixture.copies(address), address).toBe(1 + PLAN.cuts);
    }
    for (const { address } of of('greylists', 'asks')) expect(fixture.copies(address), address).toBe(1);
    for (const { address } of of('refuses')) expect(fixture.copies(address), address).toBe(0);
    expect(await fixture.attemptsBy('unknown_outcome')).toBe(cut.length * PLAN.cuts);
  });

  it('stop when the mail’s own time is over, whatever the lifetime of others', async () => {
    const shown = await until(
      async () => {
        const answer = await fixture.sender.call('GET', `/emails/${expiring}`);
        const view = (await answer.json()) as { status: string; created_at: string };
        return view.status === 'failed' && view;
      },
      { withinMs: (EXPIRES_IN_SECONDS + 30) * 1_000, everyMs: 500, what: 'the end of the mail with expires_in' },
    );
    const answer = await fixture.sender.call('GET', `/emails/${expiring}/attempts?limit=1`);
    const [last] = ((await answer.json()) as { data: { ended_at: string }[] }).data;
    const lived = Date.parse(last.ended_at) - Date.parse(shown.created_at);
    expect(lived).toBeGreaterThanOrEqual(EXPIRES_IN_SECONDS * 1_000);
    expect(lived).toBeLessThan((EXPIRES_IN_SECONDS + 3) * 1_000);
    const ends = (await fixture.finalEvents()).filter(({ data }) => data.email_id === expiring);
    expect(ends).toHaveLength(1);
  }, 400_000);
});

/** One line for all, and one for each kind of server. */
function summary(intervals: readonly Interval[]): string {
  const kinds = [...new Set(intervals.map(({ kind }) => kind))];
  const parts = kinds.map((kind) => [kind, intervals.filter((one) => one.kind === kind)] as const);
  return [['all', intervals] as const, ...parts]
    .map(([name, some]) => `${name}: ${some.length} waits as parts of the ladder: ${spread(some.map(ratio))}`)
    .join('\n');
}

const ratio = ({ ms, expectedMs }: Interval): number => ms / expectedMs;

function spread(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))].toFixed(3);
  return `least ${at(0)}, median ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)}`;
}
