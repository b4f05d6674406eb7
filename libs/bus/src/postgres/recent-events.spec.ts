import { describe, expect, it } from 'vitest';
import type { LoggedEvent, RoutedEvent } from '#libs/contracts';
import { freshEvents } from '#libs/persistence';
import { RecentEvents } from './recent-events.js';

const run = (first: number, last: number): LoggedEvent[] =>
  Array.from({ length: last - first + 1 }, (_, i) => ({ position: first + i }) as LoggedEvent);
const written = (id: string) =>
  ({ event: { id }, key: `em_${id}`, sequence: 1, domainId: null, test: false }) as RoutedEvent;
const positions = (events: LoggedEvent[]): number[] => events.map(({ position }) => position);

function shared(): RecentEvents {
  const recent = new RecentEvents();
  recent.join();
  recent.join();
  return recent;
}

describe('RecentEvents', () => {
  it('gives what another consumer has read, from any place in it', () => {
    const recent = shared();
    recent.remember(run(1, 5));
    recent.remember(run(6, 9));
    expect(positions(recent.from(4, 3))).toEqual([4, 5, 6]);
    expect(positions(recent.from(8, 100))).toEqual([8, 9]);
    expect(recent.from(10, 100)).toEqual([]);
  });

  it('gives what this process wrote itself when it has a place in the log, also to a consumer that is alone', () => {
    const recent = new RecentEvents();
    recent.join();
    const [a, b, c] = ['a', 'b', 'c'].map(written);
    freshEvents.add([a, b, c]);
    recent.logged(7, ['b', 'a']);
    expect(recent.from(7, 10)).toEqual([
      { ...b, position: 7 },
      { ...a, position: 8 },
    ]);
    recent.logged(9, ['c']);
    expect(recent.from(9, 10)).toEqual([{ ...c, position: 9 }]);
  });

  it('leaves to the database what somebody else has written, and goes on behind it', () => {
    const recent = shared();
    const [a, b] = ['d', 'e'].map(written);
    freshEvents.add([a, b]);
    recent.logged(1, ['d', 'foreign']);
    expect(recent.from(1, 10)).toEqual([]);
    recent.logged(3, ['e']);
    expect(recent.from(1, 10)).toEqual([]);
    expect(positions(recent.from(3, 10))).toEqual([3]);
    recent.remember(run(1, 3));
    expect(positions(recent.from(3, 10))).toEqual([3]);
  });

  it('keeps nothing that was read for a consumer that is alone', () => {
    const recent = new RecentEvents();
    recent.join();
    recent.remember(run(1, 5));
    expect(recent.from(1, 5)).toEqual([]);
  });

  it('takes an overlapping read once, and an older one not at all', () => {
    const recent = shared();
    recent.remember(run(5, 8));
    recent.remember(run(7, 10));
    recent.remember(run(1, 6));
    expect(positions(recent.from(5, 100))).toEqual([5, 6, 7, 8, 9, 10]);
    expect(recent.from(4, 100)).toEqual([]);
  });

  it('begins anew behind a gap, so that no answer has one', () => {
    const recent = shared();
    recent.remember(run(1, 5));
    recent.remember(run(8, 9));
    expect(recent.from(5, 100)).toEqual([]);
    expect(positions(recent.from(8, 100))).toEqual([8, 9]);
  });

  it('forgets the oldest', () => {
    const recent = shared();
    for (let first = 1; first < 30_000; first += 1_000) recent.remember(run(first, first + 999));
    expect(recent.from(1, 1)).toEqual([]);
    expect(positions(recent.from(29_999, 1))).toEqual([29_999]);
  });
});
