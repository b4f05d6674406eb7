import { firstAddress } from './find-address.js';
import { foldText, NOT_A_REASON, REASON_LABEL, REMOTE_HOST_LABEL, SENDER_LABEL, STATUS_OF_PHRASE } from './phrases.js';
import { readQuotedReply, type QuotedReply } from './quoted-reply.js';
import { readTranscript, type Transcript } from './transcript.js';

/** A recipient of a bounce in free text, and the reply about it; `address` is null where the text names none. */
export interface TextBounceRecipient extends QuotedReply {
  address: string | null;
  remoteMta: string | null;
}

interface Block {
  address: string;
  lines: string[];
  /** The address follows a label, such as `To:` of the returned mail. */
  labelled: boolean;
}

const MAX_RECIPIENTS = 200;
/** Lines that name one of several recipients. */
const MAX_LINES_ABOUT = 100;
const REASON_LINES = 12;
const REASON_CHARACTERS = 600;
const HEADER_LABEL = '(?:message-id|references|in-reply-to|subject|mail from|from|sender|reply-to)';
/** `<ada@…>:`, `ada@… on Tue`, `[SMTP:ada@…]`, `'ada@…'`. */
const AT_START = /^["'<([\s]{0,9}(?:smtp:|mailto:)?["'<]?(?=[^\s<>"@]{1,64}@[^\s<>"'@]{1,255})/i;
/** X.400 address: `c=US;a= ;p=Org;dda:SMTP=ada@…;`. */
const DIRECTORY_NAME = /^\s{0,9}[a-z]{1,4}=[^@<>]{0,200}smtp=(?=[^\s<>"@]{1,64}@)/i;
/** `Recipient: ada@…`, `Failed to deliver to 'ada@…'`, but not a label of the sender. */
const LABELLED = new RegExp(
  `^(?!(?:${HEADER_LABEL}|return-path|${SENDER_LABEL})\\b)[\\p{L}][\\p{L} /()-]{0,60}[:=]?\\s{1,20}["'<[(]{0,2}` +
    `(?:smtp:)?(?=[^\\s<>"@]{1,64}@[^\\s<>"'@]{1,255}["'>\\])]{0,3}(?:[\\s:;,.(]|$))`,
  'iu',
);
/** A line of a quoted SMTP dialogue. */
const DIALOGUE = /^(?:>>>|<<<|-->|<--|[\d: -]{8,25}(?:-->|<--)|\d{3}[ -])/;
const REMOTE_HOST = new RegExp(
  `\\b${REMOTE_HOST_LABEL} {1,3}([a-z0-9](?:[a-z0-9-]{0,62}\\.){1,10}[a-z]{2,30})\\b`,
  'i',
);
const LIST_MARK = /^[-*\s]{1,9}/;
/** A rule between the text and the returned mail, with or without a title. */
const DIVIDER = /^\s{0,9}[-=_*]{4}/;
const STATUS_LINE = /^[-*\s]{0,9}[45]\.\d{1,3}\.\d{1,3}\s/;
const BESIDE_ADDRESS = /[\s<>()"',;:]/g;
const LETTER = /\p{L}/u;
/** Quoted fields whose value only looks like the address of a recipient. */
const QUOTED_FIELD = new RegExp(`^\\s{0,20}${HEADER_LABEL} {0,3}:`, 'i');
const SYSTEM_ADDRESS = /^(?:mailer-daemon|postmaster|mdaemon|abuse|no-?reply)@/i;
/** Exim's note in the line after an address to which an alias was expanded. */
const ALIAS_NOTE = /^\s{1,20}\((?:ultimately )?generated from ([^()\s]{1,320})\)/;

/** The alias to which a message was sent, by the address in lower case to which the alias was expanded. */
export type AliasOrigins = ReadonlyMap<string, string>;

export function aliasOriginsIn(lines: readonly string[]): AliasOrigins {
  const origins = new Map<string, string>();
  for (const [i, line] of lines.entries()) {
    const origin = firstAddress(ALIAS_NOTE.exec(line)?.[1] ?? '');
    const final = origin === null || i === 0 ? null : firstAddress(lines[i - 1]);
    if (origin !== null && final !== null) origins.set(final.toLowerCase(), origin);
  }
  return origins;
}

export const aliasOriginOf = (origins: AliasOrigins, address: string | null): string | null =>
  origins.get(address?.toLowerCase() ?? '') ?? null;

/**
 * The recipients that a bounce in free text names, each with the reply about it.
 * @param others addresses that every report shows: its own sender and receiver
 * @param failed addresses of a header field, which take precedence over the text
 */
export function recipientsInText(
  lines: readonly string[],
  others: ReadonlySet<string>,
  failed: readonly string[],
): TextBounceRecipient[] {
  const isRecipient = (address: string | null): address is string =>
    address !== null && !others.has(address.toLowerCase()) && !SYSTEM_ADDRESS.test(address);
  const transcript = readTranscript(lines);
  const blocks = blocksOf(lines, isRecipient);
  const unlabelled = blocks.filter(({ labelled }) => !labelled);
  const addresses = (unlabelled.length > 0 ? unlabelled : blocks).map(({ address }) => address);
  const known = failed.length > 0 ? [...failed] : [...new Set(addresses)];
  if (known.length === 0) known.push(...[...transcript.replies.keys()].filter(isRecipient));
  if (known.length === 0) known.push(...mentionedAddresses(lines).filter(isRecipient).slice(0, 1));
  if (known.length === 0) return [{ address: null, ...reasonOf(lines, lines) }];
  if (known.length > 1 || transcript.replies.size > 1) return reasonsOfEach(known, transcript, isRecipient);
  const [address] = known;
  return [{ address, ...reasonOf(linesOf(blocks, address), lines) }];
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const linesOf = (blocks: readonly Block[], address: string): string[] =>
  blocks.filter((block) => isSame(block.address, address)).flatMap((block) => block.lines);

/** Each of several recipients has a reply of its own: none is given the reply to another. */
function reasonsOfEach(
  known: readonly string[],
  { replies, shared, rest }: Transcript,
  isRecipient: (address: string | null) => address is string,
): TextBounceRecipient[] {
  const blocks = blocksOf(rest, isRecipient);
  return known.slice(0, MAX_RECIPIENTS).map((address) => {
    const own = linesOf(blocks, address);
    const reason = reasonOf(own, linesAbout(rest, address));
    const reply =
      replies.get(address.toLowerCase()) ?? (reason.smtpCode === null && reason.status === null ? shared : null);
    return { address, ...reason, ...reply };
  });
}

/** A block begins at a line that starts with an address and extends to the next such line. */
function blocksOf(lines: readonly string[], isRecipient: (address: string | null) => address is string): Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    const isDialogue = DIALOGUE.test(line.trimStart());
    const plain = !isDialogue && (AT_START.test(line) || DIRECTORY_NAME.test(line));
    const labelled = !isDialogue && !plain && LABELLED.test(line.trimStart());
    const address = plain || labelled ? firstAddress(line) : null;
    const last = blocks.at(-1);
    if (isRecipient(address))
      blocks.push({ address, lines: [line.slice(line.indexOf(address) + address.length)], labelled });
    else if (last !== undefined && last.lines.length < 200) last.lines.push(line);
  }
  return blocks;
}

function mentionedAddresses(lines: readonly string[]): string[] {
  return lines.filter((line) => !QUOTED_FIELD.test(line)).flatMap((line) => firstAddress(line) ?? []);
}

/** Bounded, because each of many recipients may occur in every line. A line with nothing but the address gives no reason. */
const linesAbout = (lines: readonly string[], address: string): string[] =>
  lines
    .filter((line) => line.includes(address) && line.replace(BESIDE_ADDRESS, '') !== address)
    .slice(0, MAX_LINES_ABOUT);

/** The reply quoted in the recipient's own lines, or else in any line; without a reply, the text about the recipient. */
function reasonOf(own: readonly string[], all: readonly string[]): Omit<TextBounceRecipient, 'address'> {
  const remoteMta = REMOTE_HOST.exec(own.join(' ').slice(0, 4_000))?.[1] ?? null;
  const replies = [replyIn(own), replyIn(all)].filter((reply) => reply !== null);
  const reply = replies.at(0) ?? labelledReason(all) ?? plainReason(own) ?? plainReason(all);
  const hasNoCode = reply?.status === null && reply.smtpCode === null;
  const status = hasNoCode ? statusOfPhrase([reply.text, ...own].join(' ')) : (reply?.status ?? null);
  return { smtpCode: null, text: '', ...reply, status, remoteMta };
}

/** The paragraph with the code of a reply: the lines after the code may belong to the reply. */
function replyIn(lines: readonly string[]): QuotedReply | null {
  let paragraph: string[] = [];
  const read = (): QuotedReply | null => {
    const statusLine = paragraph.findIndex((line) => STATUS_LINE.test(line));
    return replyOf(paragraph) ?? (statusLine < 0 ? null : replyOf(paragraph.slice(statusLine)));
  };
  for (const line of lines) {
    if (line.trim() === '' || DIVIDER.test(line)) {
      const found = read();
      if (found !== null) return found;
      paragraph = [];
    } else if (paragraph.length < 60 && !NOT_A_REASON.test(foldText(line.slice(0, 200)))) paragraph.push(line.trim());
  }
  return read();
}

function replyOf(lines: readonly string[]): QuotedReply | null {
  const reply = readQuotedReply(lines.join(' ').slice(0, 4_000).replace(LIST_MARK, ''));
  return reply.smtpCode === null && reply.status === null ? null : reply;
}

/** The text after `Reason:` or a similar label, in its line or in the next two. */
function labelledReason(lines: readonly string[]): QuotedReply | null {
  const at = lines.findIndex((line) => REASON_LABEL.test(foldText(line.slice(0, 200))));
  if (at < 0) return null;
  const [, sameLine] = lines[at].split(/[:：]/, 2);
  return plainReason(sameLine.trim() === '' ? lines.slice(at + 1, at + 3) : [sameLine]);
}

function plainReason(lines: readonly string[]): QuotedReply | null {
  const reason = lines
    .map((line) => line.replace(/^[\s>:.)\]'"]{1,40}/, '').trim())
    .filter((line) => LETTER.test(line) && !DIVIDER.test(line) && !NOT_A_REASON.test(foldText(line.slice(0, 200))))
    .slice(0, REASON_LINES);
  const text = reason.join(' ').slice(0, REASON_CHARACTERS).trim();
  return text === '' ? null : { smtpCode: null, status: null, text };
}

function statusOfPhrase(text: string): string | null {
  const folded = foldText(text.slice(0, 2_000));
  return STATUS_OF_PHRASE.find(({ pattern }) => pattern.test(folded))?.status ?? null;
}
