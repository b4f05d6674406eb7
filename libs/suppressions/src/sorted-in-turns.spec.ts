import { describe, expect, it } from 'vitest';
import { sortedInTurns } from './sorted-in-turns.js';

const byWord = (a: { word: string }, b: { word: string }) => (a.word < b.word ? -1 : Number(a.word > b.word));

describe('sortedInTurns', () => {
  it.each([0, 1, 4_096, 4_097, 30_000])(
    'sorts %i things as the language does, equal ones in their order',
    async (length) => {
      const things = Array.from({ length }, (_, i) => ({ word: String((i * 7_919) % 1_009), i }));
      expect(await sortedInTurns(things, byWord)).toEqual(things.toSorted(byWord));
    },
  );

  it('lets others go first meanwhile', async () => {
    let turns = 0;
    let sorting = true;
    const count = () => {
      turns += 1;
      if (sorting) setImmediate(count);
    };
    setImmediate(count);
    await sortedInTurns(
      Array.from({ length: 50_000 }, (_, i) => ({ word: String(-i) })),
      byWord,
    );
    sorting = false;
    expect(turns).toBeGreaterThan(10);
  });
});
