import { decodeEncodedWords } from './encoded-words.js';
import { parseRecipient, type Mailbox } from './mailbox.js';

/**
 * The mailboxes of an unfolded `To`, `Cc` or `Reply-To` as they are written, each for `readAddressEntry`. For display only:
 * the envelope decides who gets the mail. Lenient, unlike `parseRecipient`: comments and group names are skipped. Linear.
 * Entries are read one by one, because parsing a list of the maximal length takes tens of milliseconds.
 */
export function splitAddressList(value: string): string[] {
  return splitEntries(withoutComments(value))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** The text between top-level commas and semicolons, without the names of groups. */
function splitEntries(value: string): string[] {
  const entries: string[] = [];
  let start = 0;
  let quoted = false;
  let angle = false;
  for (let at = 0; at < value.length; at += 1) {
    const mark = value[at];
    if (quoted) {
      if (mark === '\\') at += 1;
      quoted = mark !== '"';
    } else if (mark === '"') {
      quoted = true;
    } else if (mark === '<' || mark === '>') {
      angle = mark === '<';
    } else if (!angle && (mark === ',' || mark === ';' || mark === ':')) {
      if (mark !== ':') entries.push(value.slice(start, at));
      start = at + 1;
    }
  }
  entries.push(value.slice(start));
  return entries;
}

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

/** Parses one entry of `splitAddressList`; null where it is not an address. */
export function readAddressEntry(text: string): Mailbox | null {
  const plain = text.replace(/\t/g, ' ');
  const read = parseRecipient(plain);
  if (!('problem' in read)) return { address: read.address, name: decodeEncodedWords(read.name).trim() };
  const open = plain.lastIndexOf('<');
  if (open < 0 || !plain.endsWith('>')) return null;
  const bare = parseRecipient(plain.slice(open + 1, -1));
  return 'problem' in bare ? null : { address: bare.address, name: decodeEncodedWords(plain.slice(0, open)).trim() };
}
