import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FairPlaces, type Place } from './fair-places.js';

const PROMPT_MS = 1_000;

function fill(places: FairPlaces, queue: string): Place[] {
  const taken: Place[] = [];
  for (let place = places.take(queue); place; place = places.take(queue)) taken.push(place);
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
    const places = new FairPlaces(50, PROMPT_MS);
    places.give(places.take('healthy') as Place);
    for (let round = 0; round < 50; round++) for (let i = 0; i < stalled; i++) places.take(`stalled${i}`);
    expect(places.free).toBe(free);
    expect(fill(places, 'healthy')).toHaveLength(free);
  });

  it('are few for a queue that is not known yet, but some', () => {
    const places = new FairPlaces(50, PROMPT_MS);
    for (let round = 0; round < 50; round++) for (let i = 0; i < 20; i++) places.take(`stalled${i}`);
    expect(fill(places, 'new')).not.toHaveLength(0);
    expect(new FairPlaces(1, PROMPT_MS).take('new')).not.toBeNull();
  });

  it('are all for a queue that gives them back soon', () => {
    const places = new FairPlaces(50, PROMPT_MS);
    const first = fill(places, 'healthy');
    expect(first.length).toBeLessThan(50);
    first.forEach((place) => places.give(place));
    expect(fill(places, 'healthy')).toHaveLength(50);
  });

  it('are not all for a queue that gives them back because nothing came of them', () => {
    const places = new FairPlaces(50, PROMPT_MS);
    for (const place of fill(places, 'busy')) places.give(place, false);
    expect(fill(places, 'busy').length).toBeLessThan(50);
  });

  it('are no longer for a queue that was quick and now keeps them', () => {
    const places = new FairPlaces(50, PROMPT_MS);
    const first = places.take('turning') as Place;
    places.give(first);
    for (let i = 0; i < 20; i++) places.take('turning');
    vi.advanceTimersByTime(PROMPT_MS + 1);
    expect(places.mayTake('turning')).toBe(false);
    expect(places.mayTake('other')).toBe(true);
  });

  it('are counted once, however often one is given back', () => {
    const places = new FairPlaces(3, PROMPT_MS);
    const place = places.take('a') as Place;
    places.give(place);
    places.give(place);
    expect([places.held, places.free]).toEqual([0, 3]);
  });
});
