import { describe, expect, it } from 'vitest';
import { parseTimestamp } from './timestamp.js';

describe('parseTimestamp', () => {
  it.each([
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00.123456+02:00', '2026-01-31T07:30:00.123Z'],
    ['2028-02-29T00:00:00-05:30', '2028-02-29T05:30:00.000Z'],
  ])('parses %s', (text, instant) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(instant);
  });

  it.each([
    ['2026-01-31T09:30:00'],
    ['2026-01-31'],
    ['2026-02-30T00:00:00Z'],
    ['2026-02-29T00:00:00Z'],
    ['2026-13-01T00:00:00Z'],
    ['2026-00-01T00:00:00Z'],
    ['2026-01-01T24:00:00Z'],
    ['2026-01-01T00:60:00Z'],
    ['2026-01-01T00:00:60Z'],
    ['2026-01-01T00:00:00+24:00'],
    [' 2026-01-01T00:00:00Z'],
    ['1767225600000'],
    ['tomorrow'],
    [''],
  ])('rejects %j', (text) => {
    expect(parseTimestamp(text)).toBeNull();
  });
});
