import { describe, expect, it } from 'vitest';
import { cost } from '../../../../test/support/cost.js';
import { refusalWords } from './refusal-words.js';
import { firstAddress, reportedAddress } from './report-address.js';
import * as phrases from './report-phrases.js';

const MEBIBYTE = 1024 * 1024;
const { FIXED_WORDS, ...others } = phrases;
const PATTERNS = [...Object.values(others), ...FIXED_WORDS.map(([pattern]) => pattern)];

/** What begins many alternatives and finishes none. */
const PIECES = [
  'a',
  '-',
  '@',
  'a@',
  'delivery has ',
  'your message ',
  'konnte nicht ',
  'hi. this is the ',
  '550 ',
  '550-5.1.1 ',
  '5.1.1.',
  'не удалось ',
  '配信',
];

describe('the patterns of reports', () => {
  it.each(PIECES)('take eight times as long for eight times as much of %j', async (piece) => {
    const text = piece.repeat(MEBIBYTE / piece.length);
    const searched = (length: number) => () => {
      const part = text.slice(0, length);
      for (const pattern of PATTERNS) part.search(pattern);
      firstAddress(part);
      reportedAddress(part);
      refusalWords(part);
    };
    const eighth = await cost(searched(MEBIBYTE / 8), 2);
    expect(await cost(searched(MEBIBYTE), 1)).toBeLessThan(2 * 8 * Math.max(eighth, 1));
  });
});
