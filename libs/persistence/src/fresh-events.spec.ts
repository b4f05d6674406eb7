import { newId, type RoutedEvent } from '#libs/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { FreshEvents } from './fresh-events.js';
import { routedEvent } from './outbox.js';

const one = (): RoutedEvent =>
  routedEvent({
    type: 'domain.deleted',
    data: { id: newId('dom'), name: 'shop.example', status: 'active', created_at: '2026-03-01T12:00:00.000Z' } as never,
    accountId: newId('acc'),
    key: newId('dom'),
    sequence: 1,
    domainId: null,
    test: false,
    at: new Date(),
  });
const idsOf = (events: readonly RoutedEvent[]): string[] => events.map(({ event }) => event.id);

describe('FreshEvents', () => {
  let fresh: FreshEvents;
  beforeEach(() => {
    fresh = new FreshEvents();
    fresh.want();
  });

  it('gives events in the order that is asked for, and each of them once', () => {
    const [first, second, third] = [one(), one(), one()];
    fresh.add([first, second]);
    fresh.add([third]);
    expect(fresh.take(idsOf([third, first]))).toEqual([third, first]);
    expect(fresh.take(idsOf([first]))).toBeNull();
    expect(fresh.take(idsOf([second]))).toEqual([second]);
  });

  it('gives none where one is unknown, and keeps none of them', () => {
    const [known, unknown] = [one(), one()];
    fresh.add([known]);
    expect(fresh.take(idsOf([known, unknown]))).toBeNull();
    expect(fresh.take(idsOf([known]))).toBeNull();
  });

  it('keeps nothing before somebody wants it', () => {
    const idle = new FreshEvents();
    const event = one();
    idle.add([event]);
    expect(idle.take(idsOf([event]))).toBeNull();
  });

  it('forgets the oldest that nobody took', () => {
    const [old, young] = [one(), one()];
    fresh.add([old]);
    fresh.add(Array.from({ length: 20_000 }, one));
    fresh.add([young]);
    expect(fresh.take(idsOf([old]))).toBeNull();
    expect(fresh.take(idsOf([young]))).toEqual([young]);
  });
});
