import { expect, it } from 'vitest';
import { hostOf, stateOf } from './state.ts';

it('calls an enabled endpoint failing while no call succeeds', () => {
  expect(stateOf({ status: 'enabled', failingSince: '2026-03-01T00:00:00Z' })).toBe('failing');
  expect(stateOf({ status: 'enabled', failingSince: null })).toBe('enabled');
  expect(stateOf({ status: 'disabled', failingSince: '2026-03-01T00:00:00Z' })).toBe('disabled');
});

it('names an endpoint by its host', () => {
  expect(hostOf('https://example.com:8443/hooks/a?token=b')).toBe('example.com:8443');
  expect(hostOf('no url')).toBe('no url');
});
