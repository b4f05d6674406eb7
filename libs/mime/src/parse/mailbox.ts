import { domainToASCII } from 'node:url';

/** `address` is `local@domain` with the domain as lower-case A-labels; `name` is decoded text, '' if there is none. */
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
/** In an address also every space, invisible format character, private use and unassigned code point. */
const NEVER_IN_ADDRESS = /[\p{C}\p{Z}]/u;
/** Not atext of RFC 5322, nor a non-ASCII character of RFC 6531, nor a dot, whose position is checked separately. */
const NOT_ATEXT = /[^A-Za-z0-9!#$%&'*+\-/=?^_`{|}~.\u0080-\u{10ffff}]/u;
/** Characters that give an unquoted display name another meaning: comment, group, list, quote (RFC 5322 §3.2.3). */
export const SPECIAL_IN_NAME = /[()<>[\]:;@\\,"]/;
/** Two addresses with a separator between them, as mail programs accept them. */
const LIST = /@[^@,;]*[,;][^@]*@/;
const NOT_DOMAIN = /[^A-Za-z0-9.\-\u0080-\u{10ffff}]/u;
const NOT_LDH = /[^a-z0-9-]/;
/** A domain that is already normalised: two labels or more, without an A-label to validate. */
const PLAIN_DOMAIN = /^(?!.*xn--)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const SINGLE_LABEL = /^[A-Za-z0-9-]+$/;
const DIGITS = /^[0-9]+$/;

/**
 * Parses exactly one mailbox: `local@domain`, `Name <local@domain>` or `"Quoted name" <local@domain>`.
 *
 * Narrower than RFC 5322 on purpose: a string must never stand for two recipients, or for another one than it displays. So
 * groups, lists, comments, quoted local parts, address literals and single-label domains are refused.
 */
export function parseMailbox(text: string): Mailbox | Problem {
  if (typeof text !== 'string') return { problem: 'must be text' };
  if (text.length > MAX_INPUT) return { problem: `must have at most ${MAX_INPUT} characters` };
  if (NEVER.test(text)) return { problem: 'must not contain control or direction characters' };
  const whole = trimSpaces(text);
  if (whole === '') return { problem: 'must not be empty' };
  if (whole.startsWith('"')) return parseQuoted(whole);
  const open = whole.indexOf('<');
  if (open < 0) return withName(whole, '');
  const name = trimSpaces(whole.slice(0, open));
  if (SPECIAL_IN_NAME.test(name)) return { problem: 'must have its display name in double quotes' };
  return parseAngle(whole, open, name);
}

function parseQuoted(whole: string): Mailbox | Problem {
  let name = '';
  let at = 1;
  while (at < whole.length && whole[at] !== '"') {
    if (whole[at] === '\\') at += 1;
    name += whole[at] ?? '';
    at += 1;
  }
  if (at >= whole.length) return { problem: 'must close the quotes of its display name' };
  at += 1;
  if (whole[at] === '@') return { problem: 'must not have a quoted local part' };
  while (whole[at] === ' ') at += 1;
  if (whole[at] !== '<') return { problem: 'must have its address in angle brackets after the display name' };
  return parseAngle(whole, at, trimSpaces(name));
}

function parseAngle(whole: string, open: number, name: string): Mailbox | Problem {
  if (whole.indexOf('>', open) !== whole.length - 1) return { problem: 'must be one mailbox and nothing else' };
  return withName(whole.slice(open + 1, -1), name);
}

function withName(address: string, name: string): Mailbox | Problem {
  const read = parseAddress(address);
  return typeof read === 'string' ? { address: read, name } : read;
}

function parseAddress(text: string): string | Problem {
  if (LIST.test(text)) return { problem: 'must be one address per string, not a list' };
  if (NEVER_IN_ADDRESS.test(text)) return { problem: 'must not have spaces or invisible characters in its address' };
  const at = text.indexOf('@');
  if (at < 0) return { problem: 'must be an address such as name@example.com' };
  if (at !== text.lastIndexOf('@')) return { problem: 'must have exactly one @' };
  const local = text.slice(0, at);
  const bad = localProblem(local);
  if (bad) return { problem: bad };
  const domain = asciiDomain(text.slice(at + 1));
  if (domain === undefined) return { problem: 'must have a valid domain with at least two labels' };
  const address = `${local}@${domain}`;
  return Buffer.byteLength(address) > MAX_ADDRESS_OCTETS
    ? { problem: `must have at most ${MAX_ADDRESS_OCTETS} octets in its address` }
    : address;
}

function localProblem(local: string): string | undefined {
  if (local === '') return 'must have a local part before the @';
  if (local.startsWith('"')) return 'must not have a quoted local part';
  if (NOT_ATEXT.test(local)) return 'must be one address without quotes, comments, lists or groups';
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) {
    return 'must not have a leading, trailing or double dot before the @';
  }
  if (Buffer.byteLength(local) > MAX_LOCAL_OCTETS) return `must have at most ${MAX_LOCAL_OCTETS} octets before the @`;
  return undefined;
}

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
 * The form in which two spellings of an address are equal (suppressions, duplicates): trimmed, in lower case, domain as
 * A-labels. Text that is not an address is trimmed and converted to lower case.
 */
export function normaliseAddress(address: string): string {
  const plain = address.trim().toLowerCase();
  const at = plain.lastIndexOf('@');
  if (at < 0) return plain;
  return `${plain.slice(0, at)}@${domainOf(plain)}`;
}

/** The domain after the last @, as lower-case A-labels where possible; '' if there is none. */
export function domainOf(address: string): string {
  const plain = address.trim().toLowerCase();
  const at = plain.lastIndexOf('@');
  if (at < 0) return '';
  const domain = plain.slice(at + 1);
  return asciiDomain(domain) ?? domain;
}

function trimSpaces(text: string): string {
  let from = 0;
  let to = text.length;
  while (text[from] === ' ') from += 1;
  while (to > from && text[to - 1] === ' ') to -= 1;
  return text.slice(from, to);
}
