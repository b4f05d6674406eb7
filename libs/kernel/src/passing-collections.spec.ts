import { describe, expect, it } from 'vitest';
import { PassingMap, PassingSet } from './passing-collections.js';

describe('what comes and goes', () => {
  it('is there between its coming and its going, in the order in which it came', () => {
    const set = new PassingSet<number>();
    for (let i = 0; i < 1_000; i++) {
      set.add(i);
      if (i >= 10) expect(set.delete(i - 10)).toBe(true);
      expect(set.eldest).toBe(Math.max(0, i - 9));
    }
    expect([...set]).toEqual(Array.from({ length: 10 }, (_, i) => 990 + i));
    expect([set.size, set.delete(5), set.delete(999), set.size]).toEqual([10, false, true, 9]);
    set.clear();
    expect([set.size, set.eldest]).toEqual([0, undefined]);
  });

  it('may go while the others are looked at', () => {
    const set = new PassingSet<number>();
    for (let i = 0; i < 300; i++) set.add(i);
    let seen = 0;
    for (const item of set) seen += set.delete(item) ? 1 : 0;
    expect([seen, set.size]).toEqual([300, 0]);
  });

  it('keeps what belongs to it', () => {
    const map = new PassingMap<string, number>();
    for (let i = 0; i < 500; i++) {
      map.set(`k${i}`, i);
      if (i >= 2) map.delete(`k${i - 2}`);
    }
    expect([map.get('k499'), map.get('k498'), map.get('k497'), map.eldest]).toEqual([499, 498, undefined, 'k498']);
  });
});
