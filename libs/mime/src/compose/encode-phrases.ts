import { decodeEncodedWords } from '../parse/encoded-words.js';
import { encodedWords, hasPhrases } from './encode-header.js';
import { parseRecipient } from '../parse/mailbox.js';

/*
 * Encodes text in structured fields as encoded words where RFC 2047 §5 allows them: in names and in comments, never in an
 * address. All other text stays as it is written, octet by octet. Linear.
 */

const HIGH = /[^\0-\x7f]/;
/** A name or an address without brackets, with its quoted strings and literals; an address in brackets; a separator. */
const PIECE = /(?:"(?:[^"\\]|\\[^])*"?|\[[^[\]]*\]|[^"<,;:(])+|<(?:"(?:[^"\\]|\\[^])*"|[^<>"])*>?|[,;:]/y;
const QUOTED = /"((?:[^"\\]|\\[^])*)"?/g;
const QUOTED_PAIR = /\\([^])/g;
/** Text between the parentheses of a comment and of comments nested in it. */
const COMMENT_TEXT = /(?:[^()\\]|\\[^]?)+/g;

/** Which names and comments need encoded words, and the text that they stand for. */
interface TextSource {
  needsEncoding: RegExp;
  textOf: (written: string) => string;
}
/** Text of an API caller, which readers shall see as it is, even where it looks like an encoded word. */
export const LITERAL_TEXT: TextSource = { needsEncoding: /[^\0-\x7f]|=\?/, textOf: (written) => written };
/** Text of a message, in which encoded words are encoded words. */
export const ENCODED_TEXT: TextSource = { needsEncoding: HIGH, textOf: decodeEncodedWords };

/** The value of a structured field in ASCII; null where an address or an id in it is not ASCII. */
export function encodePhrases(name: string, value: string, reading: TextSource): string | null {
  const encoding: Encoding = { reading, address: hasPhrases(name) ? asciiAddress : () => null };
  const encoded: string[] = [];
  for (const entry of entriesOf(value)) {
    const bare = isBareAddress(entry);
    for (const piece of entry) {
      const ascii = reading.needsEncoding.test(piece) ? encodePiece(piece, bare, encoding) : piece;
      if (ascii === null) return null;
      encoded.push(ascii);
    }
  }
  return encoded.join('');
}

interface Encoding {
  reading: TextSource;
  /** Null where it cannot be expressed in ASCII. */
  address: (text: string) => string | null;
}

function encodePiece(piece: string, bare: boolean, { reading, address }: Encoding): string | null {
  if (piece.startsWith('('))
    return piece.replace(COMMENT_TEXT, (text) =>
      reading.needsEncoding.test(text) ? asWords(text, '', reading) : text,
    );
  const isAddress = bare || piece.startsWith('<');
  if (!isAddress) return asWords(piece.replace(QUOTED, '$1'), ' ', reading);
  if (!HIGH.test(piece)) return piece;
  if (!bare) {
    const ascii = piece.endsWith('>') ? address(piece.slice(1, -1)) : null;
    return ascii === null ? null : `<${ascii}>`;
  }
  const { before, text, after } = trimmed(piece);
  const ascii = address(text);
  return ascii === null ? null : before + ascii + after;
}

/** For each name with its address: the pieces, and the separator after them. */
function entriesOf(value: string): string[][] {
  const entries: string[][] = [[]];
  for (let at = 0; at < value.length;) {
    PIECE.lastIndex = at;
    const piece = value[at] === '(' ? comment(value, at) : (PIECE.exec(value)?.[0] ?? value[at]);
    entries[entries.length - 1].push(piece);
    if (/^[,;:]/.test(piece)) entries.push([]);
    at += piece.length;
  }
  return entries;
}

/** True for an address without a name and brackets that is not the name of a group. */
function isBareAddress(entry: string[]): boolean {
  if (entry.some((piece) => piece.startsWith('<') || piece === ':')) return false;
  return entry.some((piece) => !piece.startsWith('(') && piece.replace(QUOTED, '').includes('@'));
}

/** RFC 5322 §3.2.2; comments nest. */
function comment(value: string, start: number): string {
  let depth = 0;
  for (let at = start; at < value.length; at += 1) {
    if (value[at] === '\\') at += 1;
    else if (value[at] === '(') depth += 1;
    else if (value[at] === ')') depth -= 1;
    if (depth === 0) return value.slice(start, at + 1);
  }
  return value.slice(start);
}

/** With the domain as A-labels. */
function asciiAddress(text: string): string | null {
  const mailbox = parseRecipient(text);
  return 'problem' in mailbox || HIGH.test(mailbox.address) ? null : mailbox.address;
}

/** `gap` is put where no white space separates the words from the text around them. */
function asWords(stretch: string, gap: string, { textOf }: TextSource): string {
  const { before, text, after } = trimmed(stretch);
  const words = encodedWords(textOf(text.replace(QUOTED_PAIR, '$1')));
  return (before || gap) + words.join(' ') + (after || gap);
}

function trimmed(stretch: string): { before: string; text: string; after: string } {
  let from = 0;
  let to = stretch.length;
  while (isBlank(stretch[from])) from += 1;
  while (to > from && isBlank(stretch[to - 1])) to -= 1;
  return { before: stretch.slice(0, from), text: stretch.slice(from, to), after: stretch.slice(to) };
}

const isBlank = (character: string): boolean => character === ' ' || character === '\t';
