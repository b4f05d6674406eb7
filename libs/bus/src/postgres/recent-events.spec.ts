import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '#libs/contracts';
import { RecentEvents } from './recent-events.js';

const run = (first: number, last: number): LoggedEvent[] =>
  Array.from({ length: last - first + 1 }, (_, i) => ({ position: first + i }) as LoggedEvent);
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

  it('keeps nothing for a consumer that is alone', () => {
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
