import { foldedLine } from './folded-line.js';
import { refusalWords, type RefusalWords } from './refusal-words.js';
import { firstAddress } from './report-address.js';
import { BESIDE_THE_REASON, FIXED_WORDS } from './report-phrases.js';

/** What prose says of one recipient; `address` is null where it names nobody. */
export interface ProseRecipient extends RefusalWords {
  address: string | null;
  remoteMta: string | null;
}

interface Block {
  address: string;
  lines: string[];
  /** The address is behind a label, such as `To:` of the mail that came back. */
  labelled: boolean;
}

const MAX_RECIPIENTS = 200;
const REASON_LINES = 12;
const REASON_CHARACTERS = 600;
/** `<ada@…>:`, `ada@… on Tue`, `[SMTP:ada@…]`, `'ada@…'`. */
const AT_START = /^["'<([\s]{0,9}(?:smtp:|mailto:)?["'<]?(?=[^\s<>"@]{1,64}@[^\s<>"'@]{1,255})/i;
/** Of X.400: `c=US;a= ;p=Org;dda:SMTP=ada@…;`. */
const DIRECTORY_NAME = /^\s{0,9}[a-z]{1,4}=[^@<>]{0,200}smtp=(?=[^\s<>"@]{1,64}@)/i;
/** `Recipient: ada@…`, `Failed to deliver to 'ada@…'`; no label of the sender, no line of a dialogue. */
const LABELLED =
  /^(?!(?:message-id|references|in-reply-to|subject|mail from|from|sender|reply-to|return-path|absender|von|de|expediteur|remitente)\b)[\p{L}][\p{L} /()-]{0,60}[:=]?\s{1,20}["'<[(]{0,2}(?:smtp:)?(?=[^\s<>"@]{1,64}@[^\s<>"'@]{1,255}["'>\])]{0,3}(?:[\s:;,.(]|$))/iu;
const DIALOGUE = /^(?:>>>|<<<|-->|<--|[\d: -]{8,25}(?:-->|<--)|\d{3}[ -])/;
const HOST_WORDS =
  /\b(?:host:?|talking to|transferring to|server for|rejected by) {1,3}([a-z0-9](?:[a-z0-9-]{0,62}\.){1,10}[a-z]{2,30})\b/i;
const REASON =
  /^(?:[a-z]{1,15} )?(?:reason|grund|fehler|motif|raison|motivo|causa|reden|powod|причина|原因|理由) ?[:：]/;
const LIST_MARK = /^[-*\s]{1,9}/;
/** A rule between the words and the returned mail, with or without a title. */
const DIVIDER = /^\s{0,9}[-=_*]{4}/;
const STATUS_LINE = /^[-*\s]{0,9}[45]\.\d{1,3}\.\d{1,3}\s/;
const LETTER = /\p{L}/u;
/** Quoted fields whose value only looks like an address of a recipient. */
const OF_THE_MAIL = /^\s{0,20}(?:message-id|references|in-reply-to|subject|mail from|from|sender|reply-to) {0,3}:/i;
/** Addresses of machines. */
const MACHINE = /^(?:mailer-daemon|postmaster|mdaemon|abuse|no-?reply)@/i;

/**
 * Whom a bounce in prose names, each with what is said about him. `others` are addresses that stand in every report: its
 * own sender and receiver. `failed` comes from a field of the head and is believed before the text.
 */
export function proseRecipients(
  lines: readonly string[],
  others: ReadonlySet<string>,
  failed: readonly string[],
): ProseRecipient[] {
  const named = (address: string | null): address is string =>
    address !== null && !others.has(address.toLowerCase()) && !MACHINE.test(address);
  const blocks = blocksOf(lines, named);
  const plain = blocks.filter(({ labelled }) => !labelled);
  const naming = (plain.length > 0 ? plain : blocks).map(({ address }) => address);
  const known = failed.length > 0 ? [...failed] : [...new Set(naming)];
  if (known.length === 0) known.push(...mentioned(lines).filter(named).slice(0, 1));
  if (known.length === 0) return [{ address: null, ...reasonOf(lines, lines) }];
  return known.slice(0, MAX_RECIPIENTS).map((address) => {
    const same = (other: string) => other.toLowerCase() === address.toLowerCase();
    const own = blocks.filter((block) => same(block.address)).flatMap((block) => block.lines);
    return { address, ...reasonOf(own, known.length === 1 ? lines : linesAbout(lines, address)) };
  });
}

/** Each begins where an address stands at the front of a line and reaches to the next one. */
function blocksOf(lines: readonly string[], named: (address: string | null) => address is string): Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    const said = DIALOGUE.test(line.trimStart());
    const plain = !said && (AT_START.test(line) || DIRECTORY_NAME.test(line));
    const labelled = !said && !plain && LABELLED.test(line.trimStart());
    const address = plain || labelled ? firstAddress(line) : null;
    const last = blocks.at(-1);
    if (named(address)) blocks.push({ address, lines: [line.slice(line.indexOf(address) + address.length)], labelled });
    else if (last !== undefined && last.lines.length < 200) last.lines.push(line);
  }
  return blocks;
}

function mentioned(lines: readonly string[]): string[] {
  return lines.filter((line) => !OF_THE_MAIL.test(line)).flatMap((line) => firstAddress(line) ?? []);
}

const linesAbout = (lines: readonly string[], address: string): string[] =>
  lines.filter((line) => line.includes(address));

/** The reply that is quoted among a recipient's own lines, else among all; without any, the words that stand with him. */
function reasonOf(own: readonly string[], all: readonly string[]): Omit<ProseRecipient, 'address'> {
  const remoteMta = HOST_WORDS.exec(own.join(' ').slice(0, 4_000))?.[1] ?? null;
  const replies = [replyIn(own), replyIn(all)].filter((reply) => reply !== null);
  const words = replies.at(0) ?? labelledWords(all) ?? plainWords(own) ?? plainWords(all);
  const fixed = words?.status === null && words.smtpCode === null ? fixedStatus([words.text, ...own].join(' ')) : null;
  return { smtpCode: null, text: '', ...words, status: words?.status ?? fixed, remoteMta };
}

/** The paragraph that holds a reply's code: what follows in it may still belong to the reply. */
function replyIn(lines: readonly string[]): RefusalWords | null {
  let paragraph: string[] = [];
  const read = (): RefusalWords | null => {
    const listed = paragraph.findIndex((line) => STATUS_LINE.test(line));
    return replyOf(paragraph) ?? (listed < 0 ? null : replyOf(paragraph.slice(listed)));
  };
  for (const line of lines) {
    if (line.trim() === '' || DIVIDER.test(line)) {
      const found = read();
      if (found !== null) return found;
      paragraph = [];
    } else if (paragraph.length < 60 && !BESIDE_THE_REASON.test(foldedLine(line.slice(0, 200))))
      paragraph.push(line.trim());
  }
  return read();
}

function replyOf(lines: readonly string[]): RefusalWords | null {
  const words = refusalWords(lines.join(' ').slice(0, 4_000).replace(LIST_MARK, ''));
  return words.smtpCode === null && words.status === null ? null : words;
}

/** `Reason: …` and its like in other languages, or the line behind it. */
function labelledWords(lines: readonly string[]): RefusalWords | null {
  const at = lines.findIndex((line) => REASON.test(foldedLine(line.slice(0, 200))));
  if (at < 0) return null;
  const [, behind] = lines[at].split(/[:：]/, 2);
  return plainWords(behind.trim() === '' ? lines.slice(at + 1, at + 3) : [behind]);
}

function plainWords(lines: readonly string[]): RefusalWords | null {
  const told = lines
    .map((line) => line.replace(/^[\s>:.)\]'"]{1,40}/, '').trim())
    .filter((line) => LETTER.test(line) && !BESIDE_THE_REASON.test(foldedLine(line.slice(0, 200))))
    .slice(0, REASON_LINES);
  const text = told.join(' ').slice(0, REASON_CHARACTERS).trim();
  return text === '' ? null : { smtpCode: null, status: null, text };
}

function fixedStatus(text: string): string | null {
  const folded = foldedLine(text.slice(0, 2_000));
  return FIXED_WORDS.find(([phrase]) => phrase.test(folded))?.[1] ?? null;
}
