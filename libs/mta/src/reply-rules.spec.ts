import { describe, expect, it } from 'vitest';
import { cost } from '../../../test/support/cost.js';
import { REPLY_RULES } from './reply-rules.js';
import { ABOUT_RECIPIENT } from './reply-words.js';
import { REQUESTS } from './retry-hint.js';
import { CUT_OUT } from './said-text.js';

const MEBIBYTE = 1024 * 1024;
const WORDS = REPLY_RULES.flatMap(({ text }) => (text === undefined ? [] : [text]));
const PATTERNS = [...new Set([...WORDS, ABOUT_RECIPIENT, ...CUT_OUT, ...REQUESTS])];

/** What begins many alternatives and finishes none. */
const PIECES = [
  'a',
  ' ',
  'mailbox ',
  'mailbox of x ',
  'user <x> ',
  'recipient user account mailbox ',
  'sender address ',
  'exceeds message size ',
  'try again in ',
  'wait one m1 ',
  'return to the sender ',
  '<x',
  'x@y.',
  'a.b.c.',
  'https://x.y/z',
  'ящик ',
  '邮箱',
];

describe('the patterns of the rules', () => {
  it.each(PIECES)('take eight times as long for eight times as much of %j', async (piece) => {
    const text = piece.repeat(MEBIBYTE / piece.length);
    const searched = (length: number) => async () => {
      const part = text.slice(0, length);
      for (const pattern of PATTERNS) part.search(pattern);
    };
    const eighth = await cost(searched(MEBIBYTE / 8), 2);
    expect(await cost(searched(MEBIBYTE), 1)).toBeLessThan(2 * 8 * Math.max(eighth, 1));
  });
});
