import { readDataFile, type JsonReader } from '../json-reader.js';

/** Regular expressions for folded text (`foldText`), one per meaning. */
export type ReplyPhrases = ReadonlyMap<string, RegExp>;

/** Read once, when the program starts. */
export const REPLY_PHRASES = readDataFile(new URL('./reply-phrases.json', import.meta.url), readReplyPhrases);

/** @throws JsonFileError for a file that has another form than `reply-phrases.json`. */
export function readReplyPhrases(root: JsonReader): ReplyPhrases {
  const { fragments, phrases } = root.members(['comment', 'fragments', 'phrases']);
  if (phrases === undefined) throw root.problem('needs phrases');
  const known = new Map(fragments?.entries().map(([name, reader]) => [name, reader.pattern('').source]));
  return new Map(phrases.entries().map(([name, reader]) => [name, readPhrase(reader, known)]));
}

/** The pattern of a phrase that the code itself refers to. */
export function replyPhrase(name: string): RegExp {
  const pattern = REPLY_PHRASES.get(name);
  if (pattern === undefined) throw new Error(`reply-phrases.json has no phrase ${name}`);
  return pattern;
}

function readPhrase(reader: JsonReader, fragments: ReadonlyMap<string, string>): RegExp {
  const { patterns } = reader.members(['comment', 'patterns']);
  if (patterns === undefined) throw reader.problem('needs patterns');
  return new RegExp(patternSources(patterns, fragments).join('|'));
}

/** Sources of the patterns of all languages. The languages only order the file. */
export function patternSources(reader: JsonReader, fragments: ReadonlyMap<string, string> = new Map()): string[] {
  const sources = reader.entries().flatMap(([language, list]) => {
    if (!/^(?:[a-z]{2}|any)$/.test(language))
      throw list.problem('has no proper name: a language code of two letters, or any');
    return list.oneOrMore((one) => one.pattern('', (source) => expand(one, source, fragments)).source);
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
