import {
  newId,
  STATS_COUNTERS,
  type DomainStats,
  type LoggedEvent,
  wholeAccount,
  type Visibility,
} from '#libs/contracts';
import type { StatsStore } from '#libs/stats';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { StatsEvents } from '../../support/stats/stats-events.js';
import { until } from '../../support/timing/until.js';

const DAY_MS = 86_400_000;
const NOON = new Date('2026-03-01T12:00:00.000Z');
const after = (ms: number) => new Date(NOON.getTime() + ms);
const counters = (stats: DomainStats) => Object.fromEntries(STATS_COUNTERS.map((name) => [name, stats[name]]));
const zeros = Object.fromEntries(STATS_COUNTERS.map((name) => [name, 0]));

/** What statistics promise, over whatever engine. `store` is asked for in each test, so that it may be opened late. */
export function statsStoreSuite(engine: string, store: () => StatsStore): void {
  describe(`statistics over ${engine}`, () => {
    let events: StatsEvents;
    let tokens = 0;
    let nextPosition = 0;
    const insert = async (batch: LoggedEvent[], token = `suite:log:${++tokens}`): Promise<string> => {
      await store().insert({ source: 'log', token, events: batch });
      nextPosition = Math.max(nextPosition, ...batch.map((event) => event.position));
      return token;
    };
    const stats = (from: Date, to: Date) =>
      store().domainStats(wholeAccount(events.accountId), events.domainId, { from, to });
    const delivered = async (from: Date, to: Date) => (await stats(from, to)).delivered;
    const everything = () => stats(after(-DAY_MS), after(DAY_MS));

    beforeEach(() => {
      events = new StatsEvents();
      events.position = nextPosition;
    });

    it('counts each type of event where it belongs', async () => {
      const one = (type: Parameters<StatsEvents['make']>[0]['type'], data = {}) =>
        events.make({ type, at: NOON, data });
      await insert([
        one('email.queued'),
        one('email.queued'),
        one('email.scheduled'),
        one('email.sent', { attempt: 1 }),
        one('email.sent', { attempt: 2 }),
        one('email.failed', { failure_type: 'temporary' }),
        one('email.failed', { failure_type: 'final' }),
        one('email.delivered'),
        one('email.bounced'),
        one('email.suppressed'),
        one('email.complained'),
        one('email.opened'),
        one('email.clicked'),
      ]);
      expect(counters(await everything())).toEqual({ ...zeros, ...allOnce(), accepted: 2 });
      const unaligned = await stats(after(-1), after(1));
      expect(counters(unaligned)).toEqual({ ...zeros, ...allOnce(), accepted: 2 });
    });

    it('is exact to the millisecond at both ends of the window, with and without whole minutes in it', async () => {
      await insert(
        [-1, 0, 1, 29_999, 30_000, 60_000, 119_999, 120_000, 150_500, 150_501].map((ms) =>
          events.make({ type: 'email.delivered', at: after(ms) }),
        ),
      );
      expect(await delivered(NOON, after(1))).toBe(1);
      expect(await delivered(NOON, after(30_000))).toBe(3);
      expect(await delivered(NOON, after(30_001))).toBe(4);
      expect(await delivered(after(1), after(120_000))).toBe(5);
      expect(await delivered(NOON, after(120_000))).toBe(6);
      expect(await delivered(NOON, after(150_501))).toBe(8);
      expect(await delivered(after(-1), after(150_502))).toBe(10);
      expect(await delivered(after(120_001), after(150_500))).toBe(0);
      expect(await delivered(after(60_000), after(60_000))).toBe(0);
      expect(await delivered(after(60_000), NOON)).toBe(0);
      expect(await delivered(new Date(0), new Date('2200-01-01T00:00:00Z'))).toBe(10);
    });

    it('shows the operator what all accounts together did per minute, without earlier minutes', async () => {
      const late = new Date('2060-01-01T00:00:00.000Z');
      const accountId = newId('acc');
      const at = (seconds: number) => new Date(late.getTime() + seconds * 1_000);
      await insert([
        events.make({ type: 'email.queued', at: at(-1) }),
        events.make({ type: 'email.queued', at: at(1) }),
        events.make({ accountId, type: 'email.queued', at: at(59) }),
        events.make({ type: 'email.delivered', at: at(130), data: { queued_at: at(129).toISOString() } }),
        events.make({ accountId, type: 'email.delivered', at: at(131), data: { queued_at: at(130).toISOString() } }),
      ]);
      expect(await store().serviceActivity(late)).toEqual({
        minutes: [
          { at: late, accepted: 2, delivered: 0 },
          { at: at(120), accepted: 0, delivered: 2 },
        ],
        latency: { p50: 1_000, p95: 1_000 },
      });
      expect(await store().serviceActivity(at(200))).toEqual({ minutes: [], latency: null });
      expect(await store().bytes()).toBeGreaterThan(1_000);
    });

    it('counts a repeated batch once, in the roll-up and in the events', async () => {
      const batch = events.deliveries(100, NOON, 1_000);
      const token = await insert(batch);
      await insert(batch, token);
      await insert(batch, token);
      // Whole minutes come from the roll-up, a window without a whole minute from the events.
      expect(await delivered(NOON, after(120_000))).toBe(100);
      expect(await delivered(after(1), after(59_999))).toBe(59);
    });

    it('counts the same events once when they come again in other batches', async () => {
      const all = events.deliveries(100, NOON, 1_000);
      await insert(all.slice(0, 30));
      await insert(all.slice(30, 70));
      await insert(all.slice(0, 50));
      await insert(all);
      const token = await insert([...all.slice(90), ...all.slice(95)]);
      await insert([...all.slice(90), ...all.slice(95)], token);
      expect(await delivered(NOON, after(120_000))).toBe(100);
      expect(await delivered(after(1), after(59_999))).toBe(59);
    });

    it('counts equal batches with different tokens twice', async () => {
      const facts = { type: 'email.delivered', at: NOON } as const;
      await insert([events.make(facts)]);
      await insert([events.make(facts)]);
      expect(await delivered(NOON, after(60_000))).toBe(2);
    });

    it('spreads one batch over months and still counts a repeat once', async () => {
      const batch = events.deliveries(120, new Date('2026-01-15T00:00:00Z'), DAY_MS);
      const token = await insert(batch);
      await insert(batch, token);
      expect(await delivered(new Date('2026-01-01T00:00:00Z'), new Date('2027-01-01T00:00:00Z'))).toBe(120);
      expect(await delivered(new Date('2026-02-01T00:00:00Z'), new Date('2026-03-01T00:00:00Z'))).toBe(28);
    });

    it('shows a test key zeros, and a limited key its domains', async () => {
      await insert(events.deliveries(3, NOON, 1));
      const window = { from: after(-DAY_MS), to: after(DAY_MS) };
      const whole = wholeAccount(events.accountId);
      const seen = async (of: Partial<Visibility>) =>
        (await store().domainStats({ ...whole, ...of }, events.domainId, window)).delivered;
      expect(await seen({})).toBeGreaterThanOrEqual(3);
      expect(await seen({ domainIds: new Set([events.domainId]) })).toBe(await seen({}));
      expect(await seen({ mode: 'test' })).toBe(0);
      expect(await seen({ domainIds: new Set(['dom_other']) })).toBe(0);
    });

    it('shows an account nothing of a domain that is not its own', async () => {
      await insert(events.deliveries(3, NOON, 1));
      const foreign = await store().domainStats(wholeAccount('acc_other'), events.domainId, {
        from: after(-DAY_MS),
        to: after(DAY_MS),
      });
      expect(counters(foreign)).toEqual(zeros);
      expect(
        counters(
          await store().domainStats(wholeAccount(events.accountId), 'dom_other', {
            from: after(-DAY_MS),
            to: after(DAY_MS),
          }),
        ),
      ).toEqual(zeros);
    });

    it('takes hostile text for text', async () => {
      const hostile = `x' OR 1=1; DROP TABLE message_events; -- \\ \t\n {account:String} "é😀`;
      const at = NOON;
      await insert(
        [
          events.make({
            type: 'email.delivered',
            at,
            data: { recipient: hostile, tags: { [hostile]: hostile }, mx: hostile },
          }),
          events.make({ type: 'email.delivered', at }),
        ],
        `suite:${hostile}`,
      );
      expect(await delivered(NOON, after(60_000))).toBe(2);
      expect((await store().domainStats(wholeAccount(hostile), hostile, { from: NOON, to: after(1) })).delivered).toBe(
        0,
      );
    });

    it('leaves test events out, also when a batch has nothing else', async () => {
      await insert([
        events.make({ type: 'email.delivered', at: NOON, test: true }),
        events.make({ type: 'email.delivered', at: NOON }),
      ]);
      await insert([events.make({ type: 'email.delivered', at: NOON, test: true })]);
      await insert([]);
      expect((await everything()).delivered).toBe(1);
    });

    it('takes inserts and questions at the same time without mixing them up', async () => {
      const batches = Array.from({ length: 20 }, () => events.deliveries(5, NOON, 10));
      await Promise.all(batches.flatMap((batch) => [insert(batch), everything(), insert(batch)]));
      expect((await everything()).delivered).toBe(100);
    });

    it('counts minutes as of the position stored last', async () => {
      const minutesOf = async (of: { domainId?: string; from?: Date; accountId?: string } = {}) => {
        const { accountId, domainId } = events;
        const { position, minutes } = await store().minuteCounters({ accountId, domainId, from: NOON, ...of });
        return { position, minutes: minutes.map(({ minute, counts }) => [minute - NOON.getTime(), counts.delivered]) };
      };
      const first = events.deliveries(90, NOON, 1_000);
      await insert(first);
      const before = nextPosition;
      expect(await minutesOf()).toEqual({
        position: before,
        minutes: [
          [0, 60],
          [60_000, 30],
        ],
      });
      const other = events.make({ type: 'email.opened', at: after(60_000), domainId: newId('dom') });
      await insert([other, events.make({ type: 'email.queued', at: NOON, test: true })]);
      expect(await minutesOf({ from: after(119_999) })).toEqual({ position: before + 2, minutes: [[60_000, 30]] });
      const { minutes } = await store().minuteCounters({ accountId: events.accountId, from: NOON });
      expect(minutes[1].counts).toEqual({ ...zeros, delivered: 30, opened: 1 });
      expect((await minutesOf({ domainId: undefined })).minutes).toHaveLength(2);
      expect((await minutesOf({ accountId: newId('acc') })).minutes).toEqual([]);
    });

    it('leaves out of a count of minutes what is stored above the position', async () => {
      await insert(events.deliveries(10, NOON, 1));
      const { position } = await store().minuteCounters({ accountId: events.accountId, from: NOON });
      // A batch whose rows are stored and whose position is not yet, as between the two writes.
      await store().fill(events.deliveries(5, NOON, 1), 0);
      const counted = await store().minuteCounters({ accountId: events.accountId, from: NOON });
      expect(counted.position).toBe(position);
      expect(counted.minutes.map(({ counts }) => counts.delivered)).toEqual([10]);
      nextPosition = events.position;
    });

    it('counts minutes as of the lowest marker of all partitions, one of which has no events', async () => {
      await insert(events.deliveries(1, NOON, 1));
      const start = nextPosition;
      const topic = newId('evt');
      const offsets = [0, 0, 0];
      const take = async (partition: number, batch: LoggedEvent[], completeTo: number) => {
        const first = offsets[partition];
        offsets[partition] += batch.length + 1;
        const records = { first, last: offsets[partition] - 1, completeTo, sources: 3 };
        const source = `${topic}/${partition}`;
        await store().insert({ source, token: `${source}:${first}`, events: batch, records });
      };
      const counted = async () => {
        const { position, minutes } = await store().minuteCounters({ accountId: events.accountId, from: NOON });
        return [position - start, minutes[0].counts.delivered];
      };
      for (const partition of [0, 1, 2]) await take(partition, [], start);
      const [one, two, three] = events.deliveries(3, NOON, 1);
      await take(0, [one, three], start + 3);
      await take(1, [two], start + 2);
      await take(2, [], start + 2);
      await until(async () => (await store().storedUpTo()) === start + 2);
      expect(await counted()).toEqual([2, 3]);
      await take(1, [], start + 3);
      await take(2, [], start + 3);
      await until(async () => (await store().storedUpTo()) === start + 3);
      expect(await counted()).toEqual([3, 4]);
      nextPosition = events.position;
    });

    it('takes 25,000 rows in slices, and counts a repeat once', async () => {
      const { opened } = store() as unknown as { opened: { insert(what: { rows: unknown[] }): Promise<void> } };
      const slices = vi.spyOn(opened, 'insert');
      const batch = events.deliveries(25_000, NOON, 1);
      const token = await insert(batch);
      // And one row with the position that is stored.
      expect(slices.mock.calls.map(([{ rows }]) => rows.length)).toEqual([...Array<number>(5).fill(5_000), 1]);
      slices.mockRestore();
      await insert(batch, token);
      expect((await everything()).delivered).toBe(25_000);
    });
  });
}

function allOnce(): Record<string, number> {
  return Object.fromEntries(STATS_COUNTERS.map((name) => [name, 1]));
}
