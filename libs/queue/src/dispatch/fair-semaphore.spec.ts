import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FairSemaphore, type Permit } from './fair-semaphore.js';

const PROMPT_MS = 1_000;

function fill(places: FairSemaphore, queue: string): Permit[] {
  const taken: Permit[] = [];
  for (let place = places.acquire(queue); place; place = places.acquire(queue)) taken.push(place);
  return taken;
}

describe('places that queues share', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    [1, 37],
    [5, 22],
    [20, 14],
    [200, 12],
  ])('are not eaten by %i queues that never give one back: %i of 50 stay free', (stalled, free) => {
    const places = new FairSemaphore(50, PROMPT_MS);
    places.release(places.acquire('healthy') as Permit);
    for (let round = 0; round < 50; round++) for (let i = 0; i < stalled; i++) places.acquire(`stalled${i}`);
    expect(places.free).toBe(free);
    expect(fill(places, 'healthy')).toHaveLength(free);
  });

  it('are few for a queue that is not known yet, but some', () => {
    const places = new FairSemaphore(50, PROMPT_MS);
    for (let round = 0; round < 50; round++) for (let i = 0; i < 20; i++) places.acquire(`stalled${i}`);
    expect(fill(places, 'new')).not.toHaveLength(0);
    expect(new FairSemaphore(1, PROMPT_MS).acquire('new')).not.toBeNull();
  });

  it('are all for a queue that gives them back soon', () => {
    const places = new FairSemaphore(50, PROMPT_MS);
    const first = fill(places, 'healthy');
    expect(first.length).toBeLessThan(50);
    first.forEach((place) => places.release(place));
    expect(fill(places, 'healthy')).toHaveLength(50);
  });

  it('are not all for a queue that gives them back because nothing came of them', () => {
    const places = new FairSemaphore(50, PROMPT_MS);
    for (const place of fill(places, 'busy')) places.release(place, false);
    expect(fill(places, 'busy').length).toBeLessThan(50);
  });

  it('are no longer for a queue that was quick and now keeps them', () => {
    const places = new FairSemaphore(50, PROMPT_MS);
    const first = places.acquire('turning') as Permit;
    places.release(first);
    for (let i = 0; i < 20; i++) places.acquire('turning');
    vi.advanceTimersByTime(PROMPT_MS + 1);
    expect(places.canAcquire('turning')).toBe(false);
    expect(places.canAcquire('other')).toBe(true);
  });

  it('are counted once, however often one is given back', () => {
    const places = new FairSemaphore(3, PROMPT_MS);
    const place = places.acquire('a') as Permit;
    places.release(place);
    places.release(place);
    expect([places.held, places.free]).toEqual([0, 3]);
  });
});
