import { describe, expect, it } from 'vitest';
import { joinInTurns } from './join-in-turns.js';

const MIB = 1024 * 1024;

describe('joinInTurns', () => {
  it.each([
    ['many pieces', Array.from({ length: 1_000 }, (_, i) => Buffer.alloc(10_000 + i, i))],
    ['a small one before a large one', [Buffer.from('head'), Buffer.alloc(8 * MIB, 'body')]],
    ['empty ones', [Buffer.alloc(0), Buffer.alloc(8 * MIB, 'x'), Buffer.alloc(0), Buffer.from('y')]],
  ])('joins %s as they are, and lets others go first on the way', async (_, pieces) => {
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    const whole = await joinInTurns(pieces);
    clearImmediate(next);
    expect(whole.equals(Buffer.concat(pieces))).toBe(true);
    expect(turns).toBeGreaterThanOrEqual(Math.floor((4 * whole.length) / MIB) - 1);
  });

  it('gives a single piece back', async () => {
    const piece = Buffer.from('alone');
    expect(await joinInTurns([piece])).toBe(piece);
    expect((await joinInTurns([])).length).toBe(0);
  });
});
