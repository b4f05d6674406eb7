import { describe, expect, it } from 'vitest';
import { RetentionRegistry } from './retention-registry.js';

describe('RetentionRegistry', () => {
  it('returns what was registered, in order', async () => {
    const registry = new RetentionRegistry();
    const now = new Date();
    registry.register('counts', async (at) => ({ counts: at === now ? 1 : 0 }));
    registry.register('days', async () => ({ days: { dropped: ['days_20260131'], deleted: 2 } }));
    expect(registry.all().map(({ name }) => name)).toEqual(['counts', 'days']);
    expect(await registry.all()[0].expire(now)).toEqual({ counts: 1 });
  });

  it('refuses a name twice, which would hide one of both in the log', () => {
    const registry = new RetentionRegistry();
    registry.register('counts', async () => ({}));
    expect(() => registry.register('counts', async () => ({}))).toThrow('counts is registered for retention already');
  });
});
