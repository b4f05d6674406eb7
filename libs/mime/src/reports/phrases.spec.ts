import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HOSTILE_REPORT_TEXTS } from '../../../../test/support/samples/hostile-mail.js';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import { firstAddress, decodeReportedAddress } from './find-address.js';
import * as phrases from './phrases.js';
import { readQuotedReply } from './quoted-reply.js';

/** A pattern whose time grows with the square of the length does not return. */
const LENGTH = 128 * 1024;
const PATTERNS = [
  ...Object.values(phrases).filter((value) => value instanceof RegExp),
  ...phrases.STATUS_OF_PHRASE.map(({ pattern }) => pattern),
];

describe('the patterns of reports', () => {
  it('include those of phrases.json', () => expect(PATTERNS).toHaveLength(20));

  it.each(HOSTILE_REPORT_TEXTS)('search a long text of %j in linear time', (piece) => {
    const text = piece.repeat(LENGTH / piece.length);
    const search = () => {
      for (const pattern of PATTERNS) text.search(pattern);
      return [firstAddress(text), decodeReportedAddress(text), readQuotedReply(text)];
    };
    expect(mustReturn(search)).toHaveLength(3);
  });
});

describe('readPhrases', () => {
  const shipped = readFileSync(new URL('./phrases.json', import.meta.url), 'utf8');
  /** The shipped file with another value for one list. */
  const withList = (name: string, list: unknown) => {
    const file = JSON.parse(shipped) as { lists: Record<string, unknown> };
    return JSON.stringify({ ...file, lists: { ...file.lists, [name]: list } });
  };

  it('joins the phrases of all languages', () => {
    const list = { meaning: 'x', en: ['a', 'b{0,3}[*+]'], de: ['c'] };
    expect(phrases.readPhrases(withList('failed', list)).lists.failed).toEqual(['a', 'b{0,3}[*+]', 'c']);
  });

  it.each([
    ['an unknown list', withList('refused', { meaning: 'x', en: ['a'] }), 'refused is invalid'],
    ['a missing list', withList('failed', undefined), 'failed is invalid'],
    ['a list without meaning', withList('failed', { en: ['a'] }), 'failed is invalid'],
    ['a list without phrases', withList('failed', { meaning: 'x', en: [] }), 'failed is invalid'],
    ['a phrase that is not text', withList('failed', { meaning: 'x', en: [1] }), 'failed is invalid at 1'],
    ['a capital letter', withList('failed', { meaning: 'x', en: ['Failed'] }), 'failed is invalid at "Failed"'],
    ['an accent', withList('failed', { meaning: 'x', fr: ['échec'] }), 'failed is invalid at "échec"'],
    ['an asterisk', withList('failed', { meaning: 'x', en: ['a.*b'] }), 'failed is invalid at "a.*b"'],
    ['a plus sign', withList('failed', { meaning: 'x', en: ['(?:a)+'] }), 'failed is invalid at "(?:a)+"'],
    ['an open range', withList('failed', { meaning: 'x', en: ['a{2,}'] }), 'failed is invalid at "a{2,}"'],
    ['a broken pattern', withList('failed', { meaning: 'x', en: ['(a'] }), 'Invalid regular expression'],
    ['a wrong status', shipped.replace('"5.2.2"', '"522"'), 'statusOfPhrase 522 is invalid'],
  ])('refuses %s', (_case, json, message) => {
    expect(() => phrases.readPhrases(json)).toThrow(message);
  });
});
