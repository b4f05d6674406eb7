import { BOUNCE_CLASSES, type BounceClass } from '../delivery-outcome.js';
import { readDataFile, type JsonReader } from '../json-reader.js';
import { REPLY_PHRASES, ReplyPhrase, type ReplyPhrases } from './reply-phrases.js';

/** A class and its conditions. Absent conditions match every reply. */
export interface ReplyRule {
  class: BounceClass;
  /** First digit: temporary (4) or permanent (5). */
  digit?: 4 | 5;
  codes?: readonly number[];
  /** For the enhanced code of RFC 3463, '' where there is none. */
  enhanced?: RegExp;
  /** For an enhanced code that contradicts the reply code, '' where there is none. */
  stray?: RegExp;
  /** For the folded text without addresses, host names and URLs. */
  text?: ReplyPhrase;
  /** For the host names and URLs in the text. */
  names?: ReplyPhrase;
}

const CONDITIONS = ['reply', 'code', 'enhanced', 'stray', 'phrase', 'phrase_in_names', 'words'] as const;
const DIGITS = { temporary: 4, permanent: 5 } as const;
const ENHANCED = /^(?:none|[45x](?:\.(?:\d{1,3}|xx?)){2})$/;

export interface ReplyRules {
  /** In the order of the file: the first rule that matches wins. */
  rules: readonly ReplyRule[];
  /** The first that matches replaces a class that would suppress the address. */
  doubts: readonly ReplyRule[];
  /** One of the same class that matches makes the reply a hint, which does not suppress the address. */
  hints: readonly ReplyRule[];
  /** One of the same class must match a reply to the content, so that it proves that a mailbox is dead. */
  proof: readonly ReplyRule[];
}

/** Read once, when the program starts. */
export const REPLY_RULES = readDataFile(new URL('./reply-rules.json', import.meta.url), (root) =>
  readReplyRules(root, REPLY_PHRASES),
);

/** @throws JsonFileError for a file that has another form than `reply-rules.json`, or names an unknown phrase. */
export function readReplyRules(root: JsonReader, phrases: ReplyPhrases): ReplyRules {
  const { enhanced_sets, groups, doubts, hints, proof } = root.members([
    'comment',
    'enhanced_sets',
    'groups',
    'doubts',
    'hints',
    'proof',
  ]);
  if (groups === undefined) throw root.problem('needs groups');
  const sets = new Map(enhanced_sets?.entries().map(([name, set]) => [name, set.oneOrMore(enhancedSource).join('|')]));
  const rulesOf = (list: JsonReader) => list.oneOrMore((rule) => readRule(rule, phrases, sets));
  return {
    rules: groups
      .list((group) => {
        const { rules } = group.members(['comment', 'rules']);
        if (rules === undefined) throw group.problem('needs rules');
        return rulesOf(rules);
      })
      .flat(),
    doubts: doubts === undefined ? [] : rulesOf(doubts),
    hints: hints === undefined ? [] : rulesOf(hints),
    proof: proof === undefined ? [] : rulesOf(proof),
  };
}

function readRule(reader: JsonReader, phrases: ReplyPhrases, sets: ReadonlyMap<string, string>): ReplyRule {
  const given = reader.members(['comment', 'class', ...CONDITIONS]);
  const { class: found, reply, code, enhanced, stray, phrase, phrase_in_names, words } = given;
  if (found === undefined) throw reader.problem('needs class');
  if (CONDITIONS.every((name) => given[name] === undefined))
    throw reader.problem(`needs at least one of ${CONDITIONS.join(', ')}: it would match every reply`);
  if (phrase !== undefined && words !== undefined) throw words.problem('cannot be combined with phrase');
  return {
    class: found.oneOf(...BOUNCE_CLASSES),
    digit: reply && DIGITS[reply.oneOf('temporary', 'permanent')],
    codes: code?.oneOrMore((one) => one.integer(400, 599)),
    enhanced: enhanced && enhancedPattern(enhanced, sets),
    stray: stray && enhancedPattern(stray, sets),
    text: phrase === undefined ? words && new ReplyPhrase([words.pattern('')]) : phraseOf(phrase, phrases),
    names: phrase_in_names && phraseOf(phrase_in_names, phrases),
  };
}

function phraseOf(reader: JsonReader, phrases: ReplyPhrases): ReplyPhrase {
  const phrase = phrases.get(reader.text(/^/, 'the name of a phrase'));
  if (phrase === undefined) throw reader.invalid(`must be one of ${[...phrases.keys()].join(', ')}`);
  return phrase;
}

function enhancedPattern(reader: JsonReader, sets: ReadonlyMap<string, string>): RegExp {
  const sources = reader.oneOrMore((one) => sets.get(one.text(/^/, 'text')) ?? enhancedSource(one));
  return new RegExp(`^(?:${sources.join('|')})$`);
}

/** `x.7.20` matches 4.7.20 and 5.7.20, `5.1.x` any detail, `5.7.xx` details of two or more digits, `none` no code. */
function enhancedSource(reader: JsonReader): string {
  const code = reader.text(ENHANCED, 'an enhanced code such as 5.1.1, x.7.20 or 5.1.x, or none');
  if (code === 'none') return '';
  return code
    .replace(/^x/, '[45]')
    .replace(/x+/g, (digits) => `${'\\d'.repeat(digits.length)}+`)
    .replaceAll('.', '\\.');
}
