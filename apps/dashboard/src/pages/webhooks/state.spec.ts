import { describe, expect, it } from 'vitest';
import { hostOf, stateOf, untilNextCall } from './state.ts';

it('calls an enabled endpoint failing while no call succeeds', () => {
  expect(stateOf({ status: 'enabled', failingSince: '2026-03-01T00:00:00Z' })).toBe('failing');
  expect(stateOf({ status: 'enabled', failingSince: null })).toBe('enabled');
  expect(stateOf({ status: 'disabled', failingSince: '2026-03-01T00:00:00Z' })).toBe('disabled');
});

it('names an endpoint by its host', () => {
  expect(hostOf('https://example.com:8443/hooks/a?token=b')).toBe('example.com:8443');
  expect(hostOf('no url')).toBe('no url');
});

describe('the next result of a call', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  const delivery = (due: string | null, status: 'pending' | 'delivered' = 'pending') => ({
    status,
    nextAttemptAt: due,
    createdAt: '2026-03-01T11:59:59Z',
  });

  it('comes a moment after the earliest call', () => {
    const deliveries = [delivery('2026-03-01T12:05:00Z'), delivery('2026-03-01T12:00:05Z')];
    expect(untilNextCall(deliveries, now)).toBe(6_500);
    expect(untilNextCall([delivery(null)], now)).toBe(1_500);
    expect(untilNextCall([delivery('2026-03-01T11:59:50Z')], now)).toBe(1_500);
  });

  it('does not come without a call, or while calls are held back', () => {
    expect(untilNextCall([], now)).toBeNull();
    expect(untilNextCall([delivery('2026-03-01T12:00:05Z', 'delivered')], now)).toBeNull();
    expect(untilNextCall([delivery('2026-03-01T11:58:00Z')], now)).toBeNull();
  });

  it('is looked for once an hour at least', () => {
    expect(untilNextCall([delivery('2026-04-20T12:00:00Z')], now)).toBe(3_600_000);
  });
});
