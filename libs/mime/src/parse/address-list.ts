import { decodeEncodedWords } from './encoded-words.js';
import { parseRecipient, type Mailbox } from './mailbox.js';
import { endOfComment, endOfQuoted } from './quoted-text.js';

/**
 * The mailboxes of an unfolded `To`, `Cc` or `Reply-To` as they are written, each for `readAddressEntry`. For display only:
 * the envelope decides who gets the mail. Lenient, unlike `parseRecipient`: group names are skipped. Linear.
 * Entries are read one by one, because parsing a list of the maximal length takes tens of milliseconds.
 */
export function splitAddressList(value: string): string[] {
  return splitEntries(value)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** The text between top-level commas and semicolons, without the names of groups. */
function splitEntries(value: string): string[] {
  const entries: string[] = [];
  let start = 0;
  for (let at = 0; at < value.length; at = afterItem(value, at)) {
    const mark = value[at];
    if (mark !== ',' && mark !== ';' && mark !== ':') continue;
    if (mark !== ':') entries.push(value.slice(start, at));
    start = at + 1;
  }
  entries.push(value.slice(start));
  return entries;
}

/** The offset after a comment, a quoted string, an address in brackets, or a single character; the end where one is open. */
function afterItem(value: string, at: number): number {
  if (value[at] === '(') return orEnd(endOfComment(value, at), value);
  if (value[at] === '"') return orEnd(endOfQuoted(value, at), value);
  if (value[at] !== '<') return at + 1;
  let end = at + 1;
  while (end < value.length && value[end] !== '>')
    end = value[end] === '"' ? orEnd(endOfQuoted(value, end), value) : end + 1;
  return end + 1;
}

const orEnd = (offset: number, value: string): number => (offset < 0 ? value.length : offset);

/** RFC 5322 §3.2.2. Comments nest. Inside a quoted string there are none. */
function withoutComments(value: string): string {
  if (!value.includes('(')) return value;
  let plain = '';
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < value.length; at += 1) {
    const mark = value[at];
    const width = mark === '\\' ? 2 : 1;
    if (depth === 0 && mark === '"') quoted = !quoted;
    if (!quoted && mark === '(') depth += 1;
    if (depth === 0) plain += value.slice(at, at + width);
    if (depth > 0 && mark === ')') depth -= 1;
    at += width - 1;
  }
  return plain;
}

/** Parses one entry of `splitAddressList`; null where it is not an address. A comment that cannot be a name is skipped. */
export function readAddressEntry(text: string): Mailbox | null {
  const whole = text.replace(/\t/g, ' ');
  const commented = parseRecipient(whole, { comments: 'read' });
  const plain = 'problem' in commented ? withoutComments(whole).trim() : whole;
  const read = 'problem' in commented ? parseRecipient(plain) : commented;
  if (!('problem' in read)) return { address: read.address, name: decodeEncodedWords(read.name).trim() };
  const open = plain.lastIndexOf('<');
  if (open < 0 || !plain.endsWith('>')) return null;
  const bare = parseRecipient(plain.slice(open + 1, -1));
  return 'problem' in bare ? null : { address: bare.address, name: decodeEncodedWords(plain.slice(0, open)).trim() };
}
