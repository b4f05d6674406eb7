import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '#libs/contracts';
import { RecentEvents } from './recent-events.js';

const run = (first: number, last: number): LoggedEvent[] =>
  Array.from({ length: last - first + 1 }, (_, i) => ({ position: first + i }) as LoggedEvent);
const positions = (events: LoggedEvent[]): number[] => events.map(({ position }) => position);

function shared(): RecentEvents {
  const recent = new RecentEvents();
  recent.addReader();
  recent.addReader();
  return recent;
}

describe('RecentEvents', () => {
  it('returns events that another consumer has read, from any position', () => {
    const recent = shared();
    recent.addRead(run(1, 5));
    recent.addRead(run(6, 9));
    expect(positions(recent.from(4, 3))).toEqual([4, 5, 6]);
    expect(positions(recent.from(8, 100))).toEqual([8, 9]);
    expect(recent.from(10, 100)).toEqual([]);
  });

  it('keeps no reads of a single consumer', () => {
    const recent = new RecentEvents();
    recent.addReader();
    recent.addRead(run(1, 5));
    expect(recent.from(1, 5)).toEqual([]);
  });

  it('stores overlapping reads once, and ignores older ones', () => {
    const recent = shared();
    recent.addRead(run(5, 8));
    recent.addRead(run(7, 10));
    recent.addRead(run(1, 6));
    expect(positions(recent.from(5, 100))).toEqual([5, 6, 7, 8, 9, 10]);
    expect(recent.from(4, 100)).toEqual([]);
  });

  it('starts again after a gap, so that no result has one', () => {
    const recent = shared();
    recent.addRead(run(1, 5));
    recent.addRead(run(8, 9));
    expect(recent.from(5, 100)).toEqual([]);
    expect(positions(recent.from(8, 100))).toEqual([8, 9]);
  });

  it('drops the oldest events', () => {
    const recent = shared();
    for (let first = 1; first < 30_000; first += 1_000) recent.addRead(run(first, first + 999));
    expect(recent.from(1, 1)).toEqual([]);
    expect(positions(recent.from(29_999, 1))).toEqual([29_999]);
  });
});
