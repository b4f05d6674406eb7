import { describe, expect, it } from 'vitest';
import { isoTime } from './iso-time.js';

describe('the text of a time', () => {
  it('is the one of toISOString, asked for once or again', () => {
    const from = Date.UTC(2026, 10, 21, 22, 15);
    const times = Array.from({ length: 2_000 }, (_, i) => from + i * 7_919);
    for (const time of [...times, ...times.reverse(), 0, -1, -62_198_755_200_000, 253_402_300_799_999])
      for (let turn = 0; turn < 2; turn++) expect(isoTime(new Date(time))).toBe(new Date(time).toISOString());
  });

  it('is none for a date that is invalid, also where there was one before', () => {
    isoTime(new Date(0));
    expect(() => isoTime(new Date(Number.NaN))).toThrow(RangeError);
  });
});
