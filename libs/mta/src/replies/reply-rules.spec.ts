import { describe, expect, it } from 'vitest';
import { HOSTILE_REPLIES } from '../../../../test/support/samples/hostile-mail.js';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import { JsonFileError, JsonReader } from '../json-reader.js';
import { readReplyPhrases, REPLY_PHRASES } from './reply-phrases.js';
import { readReplyRules, REPLY_RULES } from './reply-rules.js';
import { NAME_PATTERNS } from './reply-text.js';
import { readRetryPhrases, RETRY_PATTERNS } from './retry-hint.js';

/** Patterns that search under one guard. */
const AT_ONCE = 32;
/** A pattern that begins a search at each piece, and reads to the end, takes 30 s or more for this length. */
const quadraticLength = (piece: string): number => Math.ceil(Math.sqrt(6e10 * piece.length));
const ALL_RULES = [...REPLY_RULES.rules, ...REPLY_RULES.doubts, ...REPLY_RULES.hints, ...REPLY_RULES.proof];
const WORDS = ALL_RULES.flatMap(({ text }) => text ?? []);
const WORD_PATTERNS = [...WORDS, ...REPLY_PHRASES.values()].flatMap(({ patterns }) => patterns);
const PATTERNS = [...new Set([...WORD_PATTERNS, ...NAME_PATTERNS, ...RETRY_PATTERNS])];

const PHRASES = readReplyPhrases(
  new JsonReader('', {
    fragments: { mailbox: '(?:mailbox|inbox)' },
    phrases: { full: { comment: 'No space.', patterns: { en: ['{mailbox} full', 'over ?quota'], de: 'voll' } } },
  }),
);
const rulesOf = (rules: unknown, sets: unknown = {}) =>
  readReplyRules(new JsonReader('', { enhanced_sets: sets, groups: [{ rules }] }), PHRASES).rules;

function problem(read: () => unknown): string {
  try {
    read();
    return '';
  } catch (error) {
    if (error instanceof JsonFileError) return error.message;
    throw error;
  }
}

describe('the patterns of the rules', () => {
  it.each(HOSTILE_REPLIES)('search a long run of %j in linear time', (piece) => {
    const text = piece.repeat(quadraticLength(piece) / piece.length);
    for (let at = 0; at < PATTERNS.length; at += AT_ONCE) {
      const some = PATTERNS.slice(at, at + AT_ONCE);
      expect(mustReturn(() => some.map((pattern) => text.search(pattern)))).toHaveLength(some.length);
    }
  });

  it('are used by a rule, or by the classifier itself', () => {
    const used = new Set(ALL_RULES.flatMap(({ text, names }) => [text, names]));
    const unused = [...REPLY_PHRASES].filter(([, pattern]) => !used.has(pattern)).map(([name]) => name);
    expect(unused).toEqual(['about_recipient']);
  });
});

describe('reply-phrases.json', () => {
  it('joins the patterns of all languages and replaces fragments', () => {
    const full = PHRASES.get('full');
    const texts = ['the inbox full', 'overquota', 'postfach voll', 'full mailbox'];
    expect(texts.map((text) => full?.test(text))).toEqual([true, true, true, false]);
  });

  it.each<[content: object, sentence: string]>([
    [{}, 'the file needs phrases'],
    [{ rules: [] }, 'rules is not known here; allowed are comment, fragments, phrases'],
    [{ phrases: [] }, 'phrases must be an object in braces; it is []'],
    [{ phrases: { full: {} } }, 'phrases.full needs patterns'],
    [{ phrases: { full: { patterns: {} } } }, 'phrases.full.patterns must not be empty; it is {}'],
    [{ phrases: { full: { patterns: { en: [] } } } }, 'phrases.full.patterns.en must not be empty; it is []'],
    [
      { phrases: { full: { patterns: { english: ['x'] } } } },
      'phrases.full.patterns.english has no proper name: a language code of two letters, or any',
    ],
    [
      { phrases: { full: { patterns: { en: ['x', '('] } } } },
      'phrases.full.patterns.en[1] is not a regular expression:',
    ],
    [
      { fragments: { mailbox: 'x' }, phrases: { full: { patterns: { en: ['{user} full'] } } } },
      'phrases.full.patterns.en[0] names the fragment user; known are mailbox',
    ],
  ])('refuses %j', (content, sentence) => {
    expect(problem(() => readReplyPhrases(new JsonReader('', content)))).toContain(sentence);
  });
});

describe('reply-rules.json', () => {
  it('has conditions on the code, the text and the names in it', () => {
    const [rule] = rulesOf([
      { class: 'quota', reply: 'permanent', code: [552, 554], enhanced: 'x.2.2', phrase: 'full' },
    ]);
    expect(rule).toMatchObject({ class: 'quota', digit: 5, codes: [552, 554], text: PHRASES.get('full') });
    expect(rulesOf([{ class: 'policy', phrase_in_names: 'full' }])[0].names).toBe(PHRASES.get('full'));
    expect(rulesOf([{ class: 'policy', words: 'blocked' }])[0].text?.patterns).toEqual([/blocked/]);
  });

  it.each<[written: unknown, matching: string[], others: string[]]>([
    ['5.1.1', ['5.1.1'], ['4.1.1', '5.1.10', '5.11', '']],
    ['x.7.20', ['4.7.20', '5.7.20'], ['2.7.20', '5.7.2']],
    ['5.1.x', ['5.1.0', '5.1.351'], ['5.2.1', '5.1.']],
    ['5.7.xx', ['5.7.10', '5.7.133'], ['5.7.1']],
    ['none', [''], ['5.0.0']],
    [['none', '5.0.0'], ['', '5.0.0'], ['5.0.1']],
    [['vague', '5.5.0'], ['', '4.0.0', '5.0.0', '5.5.0'], ['5.1.0']],
  ])('reads the enhanced code %j', (enhanced, matching, others) => {
    const [rule] = rulesOf([{ class: 'policy', enhanced }], { vague: ['none', 'x.0.0'] });
    expect([...matching, ...others].filter((code) => rule.enhanced?.test(code))).toEqual(matching);
  });

  it.each<[rule: object, sentence: string]>([
    [{ phrase: 'full' }, 'groups[0].rules[0] needs class'],
    [{ class: 'quota' }, 'groups[0].rules[0] needs at least one of reply, code, enhanced, stray,'],
    [{ class: 'full', code: 552 }, 'groups[0].rules[0].class must be one of invalid_recipient, bad_domain,'],
    [{ class: 'quota', reply: '5xx' }, 'groups[0].rules[0].reply must be one of temporary, permanent; it is "5xx"'],
    [{ class: 'quota', code: 250 }, 'groups[0].rules[0].code must be a whole number from 400 to 599; it is 250'],
    [{ class: 'quota', code: [] }, 'groups[0].rules[0].code must not be empty'],
    [{ class: 'quota', enhanced: ['5.1'] }, 'groups[0].rules[0].enhanced[0] must be an enhanced code such as 5.1.1,'],
    [{ class: 'quota', phrase: 'empty' }, 'groups[0].rules[0].phrase must be one of full; it is "empty"'],
    [{ class: 'quota', phrase_in_names: 'empty' }, 'groups[0].rules[0].phrase_in_names must be one of full;'],
    [{ class: 'quota', words: '(' }, 'groups[0].rules[0].words is not a regular expression:'],
    [{ class: 'quota', phrase: 'full', words: 'x' }, 'groups[0].rules[0].words cannot be combined with phrase'],
    [{ class: 'quota', text: 'x' }, 'groups[0].rules[0].text is not known here; allowed are comment, class, reply,'],
  ])('refuses %j', (rule, sentence) => {
    expect(problem(() => rulesOf([rule]))).toContain(sentence);
  });

  it('refuses a file without groups or rules', () => {
    expect(problem(() => readReplyRules(new JsonReader('', {}), PHRASES))).toBe('the file needs groups');
    expect(problem(() => readReplyRules(new JsonReader('', { groups: [{}] }), PHRASES))).toBe('groups[0] needs rules');
  });
});

describe('retry-phrases.json', () => {
  it.each<[content: object, sentence: string]>([
    [{ request: { en: 'again' } }, 'the file needs request, numbers and units'],
    [{ request: { en: 'again' }, numbers: { ten: '10' }, units: {} }, 'numbers.ten must be a number from 0.1 to 100'],
    [{ request: { en: 'again' }, numbers: {}, units: { second: { en: 's' } } }, 'units needs minute'],
    [{ request: { en: '(' }, numbers: {}, units: {} }, 'request.en is not a regular expression:'],
  ])('refuses %j', (content, sentence) => {
    expect(problem(() => readRetryPhrases(new JsonReader('', content)))).toContain(sentence);
  });
});
