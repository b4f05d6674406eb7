import { expect, it } from 'vitest';
import { isBehind } from './log-lag.js';

const NOW = Date.parse('2026-11-27T10:00:00Z');
const at = (lag: number, stillSeconds: number) => isBehind({ lag, movedAt: new Date(NOW - stillSeconds * 1_000) }, NOW);

it('calls a consumer behind that stands still although there are events, or is far behind', () => {
  expect(at(5, 90)).toBe(true);
  expect(at(200_000, 1)).toBe(true);
});

it('does not call one behind that moves, has nothing to do, or is no longer used', () => {
  expect(at(5_000, 10)).toBe(false);
  expect(at(0, 3_600)).toBe(false);
  expect(at(5, 8 * 86_400)).toBe(false);
});
