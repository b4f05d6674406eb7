import { domainToASCII } from 'node:url';
import { streamSafe } from '#libs/contracts';
import { nameWithComments, splitComments } from './mailbox-comments.js';
import { endOfQuoted, trimSpaces, unquoted } from './quoted-text.js';

/**
 * `address` is `local@domain` in Normalization Form C (RFC 6532 §3.1, RFC 5198 §3) with the domain as lower-case A-labels;
 * `name` is decoded text, '' if there is none.
 */
export interface Mailbox {
  address: string;
  name: string;
}

/** Why input is refused, as a sentence fragment that can follow the name of the field ("must be …"). */
export interface Problem {
  problem: string;
}

const MAX_INPUT = 1_000;
const MAX_LOCAL_OCTETS = 64; // RFC 5321 §4.5.3.1.1
const MAX_ADDRESS_OCTETS = 254; // RFC 5321 §4.5.3.1.3 less the angle brackets (RFC 3696 erratum 1690)
const MAX_DOMAIN_OCTETS = 253;
const MAX_LABEL_OCTETS = 63;

/** C0, DEL, C1, line and paragraph separators, bidi overrides and isolates, and halves of surrogate pairs. */
const NEVER = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;
/** The same, but for spaces in quotes. */
const NEVER_IN_QUOTES = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
/** In an address also every space, invisible format character, private use and unassigned code point. */
const NEVER_IN_ADDRESS = /[\p{C}\p{Z}]/u;
/** Not atext of RFC 5322, nor a non-ASCII character of RFC 6531, nor a dot, whose position is checked separately. */
const NOT_ATEXT = /[^A-Za-z0-9!#$%&'*+\-/=?^_`{|}~.\u0080-\u{10ffff}]/u;
/** Characters that give an unquoted display name another meaning: comment, group, list, quote (RFC 5322 §3.2.3). */
const SPECIAL_IN_NAME = /[()<>[\]:;@\\,"]/;
/** Two addresses with a separator between them, as mail programs accept them. */
const LIST = /@[^@,;]*[,;][^@]*@/;
const NOT_DOMAIN = /[^A-Za-z0-9.\-\u0080-\u{10ffff}]/u;
const NOT_LDH = /[^a-z0-9-]/;
/** A domain that is already normalised: two labels or more, without an A-label to validate. */
const PLAIN_DOMAIN = /^(?!.*xn--)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const SINGLE_LABEL = /^[A-Za-z0-9-]+$/;
const DIGITS = /^[0-9]+$/;

/** Whether comments are part of the display name, as in header fields and fields of messages, or refused. */
interface MailboxOptions {
  comments: 'read' | 'refuse';
}
const WITHOUT_COMMENTS: MailboxOptions = { comments: 'refuse' };

/**
 * Parses exactly one mailbox: `local@domain`, `Name <local@domain>` or `"Quoted name" <local@domain>`.
 *
 * Narrower than RFC 5322 on purpose: a string must never stand for two recipients, or for another one than it displays. So
 * groups, lists, comments in an address or with an address in them, quoted local parts, address literals and single-label
 * domains are refused.
 */
export function parseMailbox(text: string, options = WITHOUT_COMMENTS): Mailbox | Problem {
  return parseAs(text, refuseQuotedLocal, options);
}

/**
 * As `parseMailbox`, but with a quoted local part (RFC 5321 §4.1.2) too: `"john doe"@example.com`. It is returned without
 * its quotes where it needs none, otherwise with as few backslashes as possible, so that an address has one form. An @ in
 * the quotes is refused.
 */
export function parseRecipient(text: string, options = WITHOUT_COMMENTS): Mailbox | Problem {
  return parseAs(text, parseQuotedLocal, options);
}

/** Parses an address that begins with a quote. */
type QuotedLocalReader = (text: string) => string | Problem;

const refuseQuotedLocal: QuotedLocalReader = () => ({ problem: 'must not have a quoted local part' });

function parseAs(text: string, quotedLocal: QuotedLocalReader, { comments }: MailboxOptions): Mailbox | Problem {
  if (typeof text !== 'string') return { problem: 'must be text' };
  if (text.length > MAX_INPUT) return { problem: `must have at most ${MAX_INPUT} characters` };
  if (NEVER.test(text)) return { problem: 'must not contain control or direction characters' };
  if (comments === 'read' && text.includes('(')) return parseCommented(text, quotedLocal);
  return parseOne(trimSpaces(text), quotedLocal);
}

function parseCommented(text: string, quotedLocal: QuotedLocalReader): Mailbox | Problem {
  const split = splitComments(text);
  const read = 'problem' in split ? split : parseOne(trimSpaces(split.mailbox), quotedLocal);
  if ('problem' in split || 'problem' in read) return read;
  return { address: read.address, name: nameWithComments(read.name, split.comments) };
}

function parseOne(whole: string, quotedLocal: QuotedLocalReader): Mailbox | Problem {
  if (whole === '') return { problem: 'must not be empty' };
  if (whole.startsWith('"')) return parseQuoted(whole, quotedLocal);
  const open = whole.indexOf('<');
  if (open < 0) return withName(whole, '', quotedLocal);
  const name = trimSpaces(whole.slice(0, open));
  if (SPECIAL_IN_NAME.test(name)) return { problem: 'must have its display name in double quotes' };
  return parseAngle(whole.slice(open), name, quotedLocal);
}

function parseQuoted(whole: string, quotedLocal: QuotedLocalReader): Mailbox | Problem {
  const end = endOfQuoted(whole);
  if (end < 0) return { problem: 'must close the quotes of its display name' };
  if (whole[end] === '@') return withName(whole, '', quotedLocal);
  let at = end;
  while (whole[at] === ' ') at += 1;
  if (whole[at] !== '<') return { problem: 'must have its address in angle brackets after the display name' };
  return parseAngle(whole.slice(at), trimSpaces(unquoted(whole.slice(0, end))), quotedLocal);
}

/** @param angle from the opening bracket on */
function parseAngle(angle: string, name: string, quotedLocal: QuotedLocalReader): Mailbox | Problem {
  const quotedEnd = angle[1] === '"' ? endOfQuoted(angle.slice(1)) : 0;
  if (quotedEnd < 0 || angle.indexOf('>', quotedEnd) !== angle.length - 1)
    return { problem: 'must be one mailbox and nothing else' };
  return withName(angle.slice(1, -1), name, quotedLocal);
}

function withName(address: string, name: string, quotedLocal: QuotedLocalReader): Mailbox | Problem {
  const read = address.startsWith('"') ? quotedLocal(address) : parseAddress(address);
  return typeof read === 'string' ? { address: read, name } : read;
}

function parseQuotedLocal(text: string): string | Problem {
  const end = endOfQuoted(text);
  if (end < 0 || text[end] !== '@') return { problem: 'must have an @ after its quoted local part' };
  const content = unquoted(text.slice(0, end)).normalize('NFC');
  if (content === '') return { problem: 'must have a local part before the @' };
  // Careless programs read the address in such quotes instead (CWE-436).
  if (content.includes('@')) return { problem: 'must not have an @ in its quoted local part' };
  if (NEVER_IN_QUOTES.test(content)) return { problem: 'must not have invisible characters in its address' };
  return joined(quotedIfNeeded(content), text.slice(end + 1));
}

/** The one form of a local part with this content. */
function quotedIfNeeded(content: string): string {
  const isDotAtom = !NOT_ATEXT.test(content) && !hasMisplacedDot(content);
  return isDotAtom ? content : `"${content.replace(/["\\]/g, '\\$&')}"`;
}

function parseAddress(written: string): string | Problem {
  // Before the checks: the normal form of U+037E is a semicolon.
  const text = written.normalize('NFC');
  if (LIST.test(text)) return { problem: 'must be one address per string, not a list' };
  if (NEVER_IN_ADDRESS.test(text)) return { problem: 'must not have spaces or invisible characters in its address' };
  const at = text.indexOf('@');
  if (at < 0) return { problem: 'must be an address such as name@example.com' };
  if (at !== text.lastIndexOf('@')) return { problem: 'must have exactly one @' };
  const local = text.slice(0, at);
  const bad = localProblem(local);
  return bad ? { problem: bad } : joined(local, text.slice(at + 1));
}

function joined(local: string, written: string): string | Problem {
  if (Buffer.byteLength(local) > MAX_LOCAL_OCTETS)
    return { problem: `must have at most ${MAX_LOCAL_OCTETS} octets before the @` };
  const domain = asciiDomain(written);
  if (domain === undefined) return { problem: 'must have a valid domain with at least two labels' };
  const address = `${local}@${domain}`;
  return Buffer.byteLength(address) > MAX_ADDRESS_OCTETS
    ? { problem: `must have at most ${MAX_ADDRESS_OCTETS} octets in its address` }
    : address;
}

function localProblem(local: string): string | undefined {
  if (local === '') return 'must have a local part before the @';
  if (NOT_ATEXT.test(local)) return 'must be one address without quotes, comments, lists or groups';
  return hasMisplacedDot(local) ? 'must not have a leading, trailing or double dot before the @' : undefined;
}

const hasMisplacedDot = (local: string): boolean =>
  local.startsWith('.') || local.endsWith('.') || local.includes('..');

/** The domain as lower-case A-labels; undefined where it is not a host name of at least two labels. */
function asciiDomain(domain: string): string | undefined {
  if (domain === '' || domain.length > MAX_DOMAIN_OCTETS || NOT_DOMAIN.test(domain)) return undefined;
  if (PLAIN_DOMAIN.test(domain)) return domain;
  if (SINGLE_LABEL.test(domain)) return undefined;
  const ascii = domainToASCII(domain).toLowerCase();
  if (ascii === '' || ascii.length > MAX_DOMAIN_OCTETS) return undefined;
  const labels = ascii.split('.');
  const sound = labels.every(
    (label) =>
      label !== '' &&
      label.length <= MAX_LABEL_OCTETS &&
      !NOT_LDH.test(label) &&
      !label.startsWith('-') &&
      !label.endsWith('-'),
  );
  // An all-digit top label is an IPv4 address in disguise (RFC 3696 §2).
  return sound && labels.length > 1 && !DIGITS.test(labels[labels.length - 1]) ? ascii : undefined;
}

/**
 * The form in which two spellings of an address are equal (suppressions, duplicates): trimmed, in lower case, in
 * Normalization Form C, without quotes that are not needed, domain as A-labels. Text that is not an address is trimmed and
 * converted to lower case and Normalization Form C.
 */
export function normaliseAddress(address: string): string {
  // Twice, because lower case is not always in Normalization Form C, and depends on the form of the upper case.
  const plain = streamSafe(address.trim()).normalize('NFC').toLowerCase().normalize('NFC');
  const at = plain.lastIndexOf('@');
  if (at < 0) return plain;
  const local = plain.slice(0, at);
  const isQuoted = local.startsWith('"') && endOfQuoted(local) === local.length;
  return `${isQuoted && local.length > 2 ? quotedIfNeeded(unquoted(local)) : local}@${domainOf(plain)}`;
}

/** The domain after the last @, as lower-case A-labels where possible; '' if there is none. */
export function domainOf(address: string): string {
  const plain = address.trim().toLowerCase();
  const at = plain.lastIndexOf('@');
  if (at < 0) return '';
  const domain = plain.slice(at + 1);
  return asciiDomain(domain) ?? domain;
}
