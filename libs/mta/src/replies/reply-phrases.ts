import { readDataFile, type JsonReader } from '../json-reader.js';

/** The wordings of one meaning, for folded text (`foldText`). */
export class ReplyPhrase {
  readonly patterns: readonly RegExp[];

  /** @param beyondAscii Match no text that is ASCII only. */
  constructor(
    private readonly ascii: readonly RegExp[],
    private readonly beyondAscii: readonly RegExp[] = [],
  ) {
    this.patterns = [...ascii, ...beyondAscii];
  }

  test(text: string, isAscii = false): boolean {
    for (const pattern of this.ascii) if (pattern.test(text)) return true;
    if (!isAscii) for (const pattern of this.beyondAscii) if (pattern.test(text)) return true;
    return false;
  }
}

const ASCII = /^[\0-\x7f]*$/;
/** Languages with another script. Those with Latin letters also have words with ASCII letters only. */
const OTHER_SCRIPTS = new Set(['ar', 'bg', 'el', 'he', 'ja', 'ko', 'ru', 'th', 'uk', 'zh']);

export type ReplyPhrases = ReadonlyMap<string, ReplyPhrase>;

/** Read once, when the program starts. */
export const REPLY_PHRASES = readDataFile(new URL('./reply-phrases.json', import.meta.url), readReplyPhrases);

/** @throws JsonFileError for a file that has another form than `reply-phrases.json`. */
export function readReplyPhrases(root: JsonReader): ReplyPhrases {
  const { fragments, phrases } = root.members(['comment', 'fragments', 'phrases']);
  if (phrases === undefined) throw root.problem('needs phrases');
  const known = new Map(fragments?.entries().map(([name, reader]) => [name, reader.pattern('').source]));
  return new Map(phrases.entries().map(([name, reader]) => [name, readPhrase(reader, known)]));
}

/** A phrase that the code itself refers to. */
export function replyPhrase(name: string): ReplyPhrase {
  const phrase = REPLY_PHRASES.get(name);
  if (phrase === undefined) throw new Error(`reply-phrases.json has no phrase ${name}`);
  return phrase;
}

function readPhrase(reader: JsonReader, fragments: ReadonlyMap<string, string>): ReplyPhrase {
  const { patterns } = reader.members(['comment', 'patterns']);
  if (patterns === undefined) throw reader.problem('needs patterns');
  const sources = readPatterns(patterns, fragments);
  const english = sources.filter(({ language }) => language === 'en');
  const beyondAscii = sources.filter(({ language, source }) => OTHER_SCRIPTS.has(language) && !ASCII.test(source));
  const others = sources.filter((one) => !english.includes(one) && !beyondAscii.includes(one));
  return new ReplyPhrase([...joined(english, '\\b'), ...joined(others)], joined(beyondAscii));
}

/** The languages are not joined to one expression: it would have no common character to search for. */
function joined(sources: readonly PatternSource[], before = ''): RegExp[] {
  if (sources.length === 0) return [];
  return [new RegExp(`${before}(?:${sources.map(({ source }) => source).join('|')})`)];
}

interface PatternSource {
  language: string;
  source: string;
}

/** Sources of the patterns of all languages. */
export const patternSources = (reader: JsonReader): string[] =>
  readPatterns(reader, new Map()).map(({ source }) => source);

function readPatterns(reader: JsonReader, fragments: ReadonlyMap<string, string>): PatternSource[] {
  const sources = reader.entries().flatMap(([language, list]) => {
    if (!/^(?:[a-z]{2}|any)$/.test(language))
      throw list.problem('has no proper name: a language code of two letters, or any');
    const read = (one: JsonReader) => one.pattern('', (source) => expand(one, source, fragments)).source;
    return list.oneOrMore((one) => ({ language, source: read(one) }));
  });
  if (sources.length === 0) throw reader.invalid('must not be empty');
  return sources;
}

/** Replaces `{name}` by the fragment of this name. Quantifiers such as `{1,20}` have no letters. */
function expand(reader: JsonReader, source: string, fragments: ReadonlyMap<string, string>): string {
  return source.replace(/\{([a-z]+)\}/g, (_, name: string) => {
    const fragment = fragments.get(name);
    if (fragment === undefined)
      throw reader.problem(`names the fragment ${name}; known are ${[...fragments.keys()].join(', ')}`);
    return fragment;
  });
}
