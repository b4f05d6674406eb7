/** The first and the last `each` characters of a longer text, joined by a blank. */
export function headAndTail(text: string, each: number): string {
  return text.length <= 2 * each ? text : `${text.slice(0, each)} ${text.slice(-each)}`;
}

/** Longer texts are cut, because they are stored with every attempt. */
const MAX_CHARACTERS = 1000;

// Control characters, unpaired surrogates, and characters that are invisible or change the writing direction.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/**
 * The text of a remote server in a form that is safe in logs, terminals, JSON, databases and web pages: one line of at
 * most 1,000 characters. Of a longer text the middle is removed, because the reason is often at the end.
 */
export function printableText(text: string): string {
  const printable = headAndTail(text, 2 * MAX_CHARACTERS)
    .replace(UNPRINTABLE, ' ')
    .trim();
  if (printable.length <= MAX_CHARACTERS) return printable;
  const half = MAX_CHARACTERS / 2;
  // Not within a surrogate pair.
  const begun = printable.slice(0, half - 1).replace(/\p{Cs}$/u, '');
  return `${begun}…${printable.slice(-half).replace(/^\p{Cs}/u, '')}`;
}

/**
 * Only the beginning and the end of a longer reply are classified. This bounds the cost of one reply to about 50 µs.
 */
const JUDGED_AT_EACH_END = 350;

const BEYOND_ASCII = /[^\0-\x7f]/;
const MARKS = /[\u0300-\u036f]+/g;
const APOSTROPHES = /[\u2018\u2019]/g;

/**
 * The text of a reply in the form that rules compare: lower case, without accents of Latin and Cyrillic letters, digits
 * and apostrophes in their plain form; at most the first and the last 350 characters.
 */
export function foldText(text: string): string {
  const judged = headAndTail(text, JUDGED_AT_EACH_END).toLowerCase();
  if (!BEYOND_ASCII.test(judged)) return judged;
  // NFKD also decomposes kana and Hangul, which must stay as they are.
  return judged.normalize('NFKD').replace(MARKS, '').replace(APOSTROPHES, "'").normalize('NFC');
}

/** A folded reply, separated into its words and the names in it. */
export interface ReplyText {
  /** Every address, host name and URL is replaced by `x`. */
  words: string;
  /** Host names and URLs, separated by blanks. */
  names: string;
  /** Whether both are ASCII only. */
  isAscii: boolean;
}

/** Linear in the length: the lookbehind prevents a second match attempt within the same run of characters. */
const LOCAL = "[a-z0-9.!#$%&'*+?^_`{}~-]";
const ADDRESSES = new RegExp(
  `(?<=<)"[^"<>]{0,64}"@[^\\s<>]*(?=>)|(?<=<)[^\\s<>@]*@[^\\s<>]*(?=>)|(?<!${LOCAL})${LOCAL}+@[a-z0-9-]+(?:\\.[a-z0-9-]+)*`,
  'g',
);

/**
 * Two labels are not a name, because a full stop without a blank looks the same ("rejected.spam"). Neither are the
 * dotted codes of Exchange ("RESOLVER.ADR.RecipientNotFound").
 */
const NAMES =
  /https?:\/\/[!-;=?-~]+|(?<![a-z0-9.-])(?!(?:resolver|storedrv|transport|routing|queue|agent|smtpsend)\.)[a-z0-9-]+\.[a-z0-9-]+\.(?:[a-z0-9-]+\.)*[a-z]{2,}(?![a-z0-9-])/g;

/** All patterns of this file, for a test of their cost. */
export const NAME_PATTERNS: readonly RegExp[] = [ADDRESSES, NAMES];

/** Separates folded text from the names in it: an address that contains "spam" or "junk" is no reason. */
export function splitReplyText(folded: string): ReplyText {
  const names: string[] = [];
  const addressed = folded.includes('@') ? folded.replace(ADDRESSES, 'x') : folded;
  const words = addressed.replace(NAMES, (name) => {
    names.push(name);
    return 'x';
  });
  return { words, names: names.join(' '), isAscii: !BEYOND_ASCII.test(folded) };
}
