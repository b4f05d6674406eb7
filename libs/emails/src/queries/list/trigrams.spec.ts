import { describe, expect, it } from 'vitest';
import { lookedUpTrigrams, trigramBitmap } from './trigrams.js';

const isSet = (bitmap: Buffer, position: number): boolean => ((bitmap[position >> 3] >> (position & 7)) & 1) === 1;
const mayContain = (bitmap: Buffer, part: string): boolean =>
  lookedUpTrigrams(part).every((position) => isSet(bitmap, position));

describe('trigrams', () => {
  const TEXT = 'hello ada, your order 1207 has shipped\nada@example.com\nåsa 🎉 ünïcode';

  it('never miss a part of a text', () => {
    const [points, bitmap] = [Array.from(TEXT), trigramBitmap(['other', TEXT])];
    for (let from = 0; from < points.length; from += 1)
      for (let to = from + 1; to <= points.length; to += 1)
        if (!mayContain(bitmap, points.slice(from, to).join(''))) expect.fail(`${from} to ${to}`);
  });

  it('exclude nearly all texts that are not contained', () => {
    const bitmap = trigramBitmap(
      Array.from({ length: 1_000 }, (_, i) => `your order ${i} has shipped\nuser${i}@example.com`),
    );
    const names = Array.from({ length: 500 }, (_, i) => `${i.toString(36)}zq${(i * 7919).toString(36)}`);
    expect(names.filter((name) => mayContain(bitmap, name)).length).toBeLessThan(20);
  });

  it('are looked up for three characters or more, and only some of a long text', () => {
    expect(lookedUpTrigrams('ad')).toEqual([]);
    expect(lookedUpTrigrams('ada')).toHaveLength(1);
    const long = Array.from({ length: 500 }, (_, i) => String.fromCodePoint(0x400 + i)).join('');
    expect(lookedUpTrigrams(long)).toHaveLength(16);
  });
});
