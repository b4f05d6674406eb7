import { decodeWords } from './decode-words.js';
import type { Mailbox } from './mailbox.js';
import { parseMailbox } from './mailbox.js';

/**
 * Reads the mailboxes of an unfolded `To`, `Cc` or `Reply-To` for showing them; who gets the mail is the envelope's matter.
 * Lenient, unlike `parseMailbox`: comments and group names are skipped, and so is what makes no address. Linear.
 */
export function readAddressList(value: string): Mailbox[] {
  const mailboxes: Mailbox[] = [];
  for (const entry of splitEntries(value)) {
    const mailbox = readEntry(entry.trim());
    if (mailbox) mailboxes.push(mailbox);
  }
  return mailboxes;
}

/** The stretches between top-level commas and semicolons, without comments and without the names of groups. */
function splitEntries(value: string): string[] {
  const entries: string[] = [];
  let entry = '';
  let kept = 0; // start of the text not yet copied into `entry`
  let comments = 0;
  let quoted = false;
  let angle = false;
  const take = (at: number) => {
    entry += value.slice(kept, at);
    kept = at + 1;
  };
  for (let at = 0; at < value.length; at += 1) {
    const mark = value[at];
    if (mark === '\\' && (quoted || comments > 0)) {
      at += 1;
    } else if (quoted) {
      quoted = mark !== '"';
    } else if (mark === '(') {
      if (comments === 0) take(at);
      comments += 1;
    } else if (comments > 0) {
      if (mark === ')') comments -= 1;
      kept = at + 1;
    } else if (mark === '"') {
      quoted = true;
    } else if (mark === '<' || mark === '>') {
      angle = mark === '<';
    } else if (!angle && (mark === ',' || mark === ';')) {
      take(at);
      entries.push(entry);
      entry = '';
    } else if (!angle && mark === ':') {
      entry = '';
      kept = at + 1;
    }
  }
  if (comments === 0) take(value.length);
  entries.push(entry);
  return entries;
}

function readEntry(text: string): Mailbox | undefined {
  if (text === '') return undefined;
  const plain = text.replace(/\t/g, ' ');
  const read = parseMailbox(plain);
  if (!('problem' in read)) return { address: read.address, name: decodeWords(read.name).trim() };
  const open = plain.lastIndexOf('<');
  if (open < 0 || !plain.endsWith('>')) return undefined;
  const bare = parseMailbox(plain.slice(open + 1, -1));
  return 'problem' in bare ? undefined : { address: bare.address, name: decodeWords(plain.slice(0, open)).trim() };
}
