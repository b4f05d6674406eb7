import { formatBytes } from '../../components/format.tsx';
import type { HeaderField } from './header-fields.ts';
import { isWebLink, looksLikeAnotherHost, type HtmlFacts } from './links.ts';

export interface Check {
  level: 'good' | 'note' | 'bad';
  title: string;
  text: string;
}

export interface CheckedMessage {
  fields: HeaderField[];
  html: string | null;
  text: string | null;
  facts: HtmlFacts;
  /** Bytes of the whole message. */
  size: number;
  createdAt: string;
  /** True if the source is what leaves the service; otherwise signatures follow at delivery. */
  isFinal: boolean;
}

/** Gmail clips HTML beyond this size. */
const GMAIL_CLIP_BYTES = 102 * 1024;
const LARGE_BYTES = 10 * 1024 * 1024;
const SUBJECT_CHARACTERS = 70;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_DELAY_MS = 4 * DAY_MS;

const good = (title: string, text: string): Check => ({ level: 'good', title, text });
const note = (title: string, text: string): Check => ({ level: 'note', title, text });
const bad = (title: string, text: string): Check => ({ level: 'bad', title, text });

/** Checks of a message by the criteria of filters and mail programs, worst first. */
export function checkMessage(message: CheckedMessage): Check[] {
  const rules = [sender, replies, signature, identity, date, subject, unsubscribe, parts, sizes, links, images];
  const order = { bad: 0, note: 1, good: 2 };
  return rules.flatMap((rule) => rule(message)).toSorted((a, b) => order[a.level] - order[b.level]);
}

const field = ({ fields }: CheckedMessage, name: string): string | undefined =>
  fields.find((one) => one.name.toLowerCase() === name)?.value;

/** The domain of the last address in a field. */
const domainOf = (value: string | undefined): string | null =>
  /@([\w.-]{1,253}[\w])\W{0,3}$/.exec(value ?? '')?.[1]?.toLowerCase() ?? null;

/** Relaxed alignment (RFC 7489 section 3.1.1), as far as possible without the public suffix list. */
const isAligned = (one: string, other: string): boolean =>
  one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);

function sender(message: CheckedMessage): Check[] {
  const from = field(message, 'from');
  if (from === undefined) return [bad('No From', 'Every receiving server refuses a message without a sender.')];
  const hasName = from.includes('<') && from.slice(0, from.indexOf('<')).trim() !== '';
  return hasName ? [] : [note('From has no name', 'Readers recognise “Web shop <orders@…>” sooner than an address.')];
}

function replies(message: CheckedMessage): Check[] {
  const from = domainOf(field(message, 'from'));
  const reply = domainOf(field(message, 'reply-to'));
  if (from?.startsWith('no-reply.') || /^no-?reply@/i.test(field(message, 'from') ?? ''))
    return [note('Recipients cannot reply', 'With a no-reply sender, readers report mail as spam instead of asking.')];
  if (from === null || reply === null || isAligned(from, reply)) return [];
  return [
    note(
      'Reply-To is at another domain',
      `Replies go to ${reply}, not to ${from}. Filters are suspicious of such mail.`,
    ),
  ];
}

function signature(message: CheckedMessage): Check[] {
  const from = domainOf(field(message, 'from'));
  const signed = message.fields
    .filter(({ name }) => name.toLowerCase() === 'dkim-signature')
    .map(({ value }) => /(?:^|;)\s{0,9}d=([\w.-]{1,253})/.exec(value)?.[1]?.toLowerCase() ?? '');
  if (signed.length === 0)
    return message.isFinal
      ? [bad('No DKIM signature', 'Large providers refuse or filter unsigned bulk mail.')]
      : [note('Not signed yet', 'The signature of the domain is added when the message is delivered.')];
  if (from !== null && signed.some((domain) => isAligned(domain, from)))
    return [good('Signed and aligned', `DKIM signs for ${[...new Set(signed)].join(', ')}, as DMARC asks for.`)];
  return [bad('DKIM is not aligned', `Signed for ${signed.join(', ')}, but From is at ${from}: DMARC needs SPF then.`)];
}

function identity(message: CheckedMessage): Check[] {
  const id = field(message, 'message-id');
  if (id === undefined) return [bad('No Message-ID', 'Messages without one look like spam.')];
  return /^<[^<>@\s]+@[^<>@\s]+>$/.test(id)
    ? [good('Message-ID', 'Present and well-formed (RFC 5322).')]
    : [bad('Message-ID is malformed', 'It must look like <unique@example.com>.')];
}

function date(message: CheckedMessage): Check[] {
  const at = Date.parse(field(message, 'date') ?? '');
  if (Number.isNaN(at)) return [bad('No valid Date', 'Messages without a date look like spam.')];
  const distance = at - Date.parse(message.createdAt);
  if (distance < -DAY_MS || distance > MAX_DELAY_MS)
    return [bad('Date is wrong', 'It differs from the time of acceptance by more than a day.')];
  return [good('Date', 'It matches the time of acceptance.')];
}

function subject(message: CheckedMessage): Check[] {
  const text = field(message, 'subject') ?? '';
  if (text.trim() === '') return [bad('No subject', 'Readers and filters expect one.')];
  const checks: Check[] = [];
  if (text.length > SUBJECT_CHARACTERS)
    checks.push(
      note('Long subject', `Mail programs show about ${SUBJECT_CHARACTERS} characters; it has ${text.length}.`),
    );
  if (/[A-Z]{3}/.test(text) && text === text.toUpperCase())
    checks.push(bad('Subject in capitals', 'Spam filters penalize it.'));
  if (/[!?]{3}/.test(text))
    checks.push(bad('Repeated punctuation in the subject', 'Spam filters penalize !!! and ???.'));
  return checks;
}

function unsubscribe(message: CheckedMessage): Check[] {
  const link = field(message, 'list-unsubscribe');
  const oneClick = /one-click/i.test(field(message, 'list-unsubscribe-post') ?? '');
  if (link === undefined)
    return [note('No List-Unsubscribe', 'Fine for receipts and alerts. Gmail and Yahoo require it for bulk mail.')];
  if (!oneClick) return [note('No one-click unsubscribe', 'Add List-Unsubscribe-Post: List-Unsubscribe=One-Click.')];
  return [good('One-click unsubscribe', 'Both header fields of RFC 8058 are present.')];
}

function parts({ html, text }: CheckedMessage): Check[] {
  if (html !== null && text === null)
    return [note('No text part', 'Watches, screen readers and some filters expect one alongside the HTML.')];
  if (html === null && text === null) return [note('No readable part', 'The message has neither HTML nor text.')];
  return html === null ? [] : [good('HTML and text', 'Every mail program can show one of them.')];
}

function sizes({ html, size }: CheckedMessage): Check[] {
  const checks: Check[] = [];
  const htmlBytes = new Blob([html ?? '']).size;
  if (htmlBytes > GMAIL_CLIP_BYTES)
    checks.push(
      bad('Gmail clips the HTML', `It has ${formatBytes(htmlBytes)}; Gmail shows ${formatBytes(GMAIL_CLIP_BYTES)}.`),
    );
  if (size > LARGE_BYTES)
    checks.push(
      bad('Large message', `${formatBytes(size)}: some servers refuse more than ${formatBytes(LARGE_BYTES)}.`),
    );
  if (checks.length === 0) checks.push(good('Size', `${formatBytes(size)}, ${formatBytes(htmlBytes)} of it HTML.`));
  return checks;
}

function links({ facts }: CheckedMessage): Check[] {
  const misleading = facts.links.filter(looksLikeAnotherHost);
  const insecure = facts.links.filter((link) => isWebLink(link) && !/^https:/i.test(link.url));
  const checks: Check[] = [];
  if (misleading.length > 0)
    checks.push(bad('A link shows a different host', `“${misleading[0].text}” leads to ${misleading[0].url}.`));
  if (insecure.length > 0)
    checks.push(note('Links without https', `${insecure.length} of ${facts.links.length}; browsers warn about them.`));
  return checks;
}

function images({ facts: { remoteImages, imagesWithoutText }, text, html }: CheckedMessage): Check[] {
  const checks: Check[] = [];
  if (imagesWithoutText > 0)
    checks.push(note('Images without alt', `${imagesWithoutText} show nothing to readers who block images.`));
  const words = (html ?? '').replaceAll(/<[^<>]{0,5000}>/g, ' ').split(/\s+/).length;
  if (remoteImages > 2 && words < 30 && text === null)
    checks.push(bad('Mostly images', 'Filters distrust mail with images and hardly any text.'));
  return checks;
}
