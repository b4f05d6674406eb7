import { describe, expect, it } from 'vitest';
import { isId, newId } from './index.js';

describe('newId', () => {
  it('sorts by creation, also within one millisecond', () => {
    const ids = Array.from({ length: 20_000 }, () => newId('em'));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is a UUIDv7 behind its prefix', () => {
    const hex = newId('evt').slice(4);
    expect(hex).toMatch(/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    expect(Math.abs(parseInt(hex.slice(0, 12), 16) - Date.now())).toBeLessThan(60_000);
  });

  it('is told apart from ids of other kinds and from junk', () => {
    expect(isId('em', newId('em'))).toBe(true);
    expect(isId('em', newId('dom'))).toBe(false);
    expect(isId('em', 'em_xyz')).toBe(false);
    expect(isId('em', `${newId('em')}0`)).toBe(false);
  });
});
