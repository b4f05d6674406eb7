/** What a reply says, and apart from it what it names. Both folded. */
export interface SaidText {
  /** Every address is `x`, every host name and URL is `x` too. */
  words: string;
  /** Host names and URLs, with blanks between them. */
  names: string;
}

/** Each pattern reads a character once: what begins a match is never within one that failed. */
const LOCAL = "[a-z0-9.!#$%&'*+?^_`{}~-]";
const ADDRESSES = new RegExp(
  `(?<=<)[^\\s<>@]*@[^\\s<>]*(?=>)|(?<!${LOCAL})${LOCAL}+@[a-z0-9-]+(?:\\.[a-z0-9-]+)*`,
  'g',
);

/**
 * Two labels are no name: a full stop without a blank looks the same ("rejected.spam"). Neither are the dotted findings
 * of Exchange ("RESOLVER.ADR.RecipientNotFound").
 */
const NAMES =
  /https?:\/\/[!-;=?-~]+|(?<![a-z0-9.-])(?!(?:resolver|storedrv|transport|routing|queue|agent|smtpsend)\.)[a-z0-9-]+\.[a-z0-9-]+\.(?:[a-z0-9-]+\.)*[a-z]{2,}(?![a-z0-9-])/g;

/** All that is searched for, to be judged for its cost. */
export const CUT_OUT: readonly RegExp[] = [ADDRESSES, NAMES];

/** Parts folded words from names: an address at which somebody is called spam or junk is no reason for anything. */
export function saidText(folded: string): SaidText {
  const names: string[] = [];
  const addressed = folded.includes('@') ? folded.replace(ADDRESSES, 'x') : folded;
  const words = addressed.replace(NAMES, (name) => {
    names.push(name);
    return 'x';
  });
  return { words, names: names.join(' ') };
}
