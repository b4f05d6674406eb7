import { decodeWords } from './decode-words.js';
import type { Mailbox } from './mailbox.js';
import { parseMailbox } from './mailbox.js';

/**
 * The mailboxes of an unfolded `To`, `Cc` or `Reply-To` as they are written, each for `readAddressEntry`: for showing them;
 * who gets the mail is the envelope's matter. Lenient, unlike `parseMailbox`: comments and group names are skipped. Linear;
 * a list of all that is allowed takes tens of milliseconds to read, too long for one step.
 */
export function splitAddressList(value: string): string[] {
  return splitEntries(withoutComments(value))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** The stretches between top-level commas and semicolons, without the names of groups. */
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

/** RFC 5322 §3.2.2; comments nest, and are none inside a quoted string. */
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

/** One entry of `splitAddressList`; null where it makes no address. */
export function readAddressEntry(text: string): Mailbox | null {
  const plain = text.replace(/\t/g, ' ');
  const read = parseMailbox(plain);
  if (!('problem' in read)) return { address: read.address, name: decodeWords(read.name).trim() };
  const open = plain.lastIndexOf('<');
  if (open < 0 || !plain.endsWith('>')) return null;
  const bare = parseMailbox(plain.slice(open + 1, -1));
  return 'problem' in bare ? null : { address: bare.address, name: decodeWords(plain.slice(0, open)).trim() };
}
