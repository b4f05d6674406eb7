import { decodeEncodedWords } from './encoded-words.js';
import { endOfComment, endOfQuoted, trimSpaces, unquoted } from './quoted-text.js';

/** A mailbox without its comments, each of which is text without its parentheses and backslashes. */
interface WithoutComments {
  mailbox: string;
  comments: string[];
}

/** Readers without support for comments would take these for another address, or for the end of a quoted string. */
const OF_ADDRESSES = /[<>@"]/;
/** The same in decoded text, for readers that decode before they parse, which also see parentheses there. */
const OF_DECODED_ADDRESSES = /[<>@"()\\\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/**
 * Takes the comments (RFC 5322 §3.2.2) out of a mailbox. They nest, and are none in a quoted string; those between angle
 * brackets are not taken, so that no address is put together around them. Linear.
 */
export function splitComments(text: string): WithoutComments | { problem: string } {
  const comments: string[] = [];
  const kept: string[] = [];
  let from = 0;
  for (let at = nextComment(text, 0); at >= 0; at = nextComment(text, from)) {
    const end = endOfComment(text, at);
    if (end < 0) return { problem: 'must close the parentheses of its comment' };
    const comment = unquoted(text.slice(at, end));
    if (namesAnAddress(comment)) return { problem: 'must have nothing but a name in a comment' };
    kept.push(trimSpaces(text.slice(from, at)));
    comments.push(trimSpaces(comment));
    from = end;
  }
  kept.push(trimSpaces(text.slice(from)));
  return { mailbox: withoutEmpty(kept).join(' '), comments: withoutEmpty(comments) };
}

const withoutEmpty = (texts: string[]): string[] => texts.filter((text) => text !== '');

/** The next parenthesis that opens a comment; -1 if there is none. `from` is not in a quoted string or an address. */
function nextComment(text: string, from: number): number {
  let angle = false;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '(' && !angle) return at;
    if (text[at] === '<' || text[at] === '>') angle = text[at] === '<';
    if (text[at] !== '"') continue;
    const end = endOfQuoted(text, at);
    if (end < 0) return -1;
    at = end - 1;
  }
  return -1;
}

function namesAnAddress(comment: string): boolean {
  const decoded = decodeEncodedWords(comment);
  return OF_ADDRESSES.test(comment) || (decoded !== comment && OF_DECODED_ADDRESSES.test(decoded));
}

/** The display name with the comments behind it; without one, the comments are the name. */
export function nameWithComments(name: string, comments: readonly string[]): string {
  if (name === '') return comments.join(' ');
  return [name, ...comments.map((comment) => `(${comment})`)].join(' ');
}
