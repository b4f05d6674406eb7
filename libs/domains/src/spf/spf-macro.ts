import ipaddr from 'ipaddr.js';

/** The values of macros during an evaluation. */
export interface MacroContext {
  address: ipaddr.IPv4 | ipaddr.IPv6;
  /** The domain of the current record, which differs within `include` and `redirect`. */
  domain: string;
  /** MAIL FROM, with a local part. */
  sender: string;
  /** The name of HELO or EHLO. */
  helo: string;
}

/** `%{…}`, `%%`, `%_` and `%-`. Any other text after a percent sign is invalid. */
const MACRO = /%(?:\{([a-z])([0-9]*)(r?)([-.+,/_=]*)\}|([%_-])|)/gi;
const LITERALS: Readonly<Record<string, string>> = { '%': '%', _: ' ', '-': '%20' };
/** RFC 1035 §3.1. */
const NAME_LENGTH = 253;

/**
 * Expands the macros of a term (RFC 7208 §7) to a name in lower case; null where it is unknown, because it depends on the
 * validated name of the address (`%{p}`, which should not be used).
 * @throws Error when the text violates §7.1 or uses macros for explanations only (`c`, `r`, `t`)
 */
export function expandMacros(text: string, context: MacroContext): string | null {
  let isKnown = true;
  const name = text.replace(MACRO, (written: string, ...groups: (string | undefined)[]) => {
    const [letter, digits = '', reverse = '', delimiters = '', literal] = groups;
    if (literal !== undefined) return LITERALS[literal];
    const value = letter === undefined ? undefined : valueOf(letter.toLowerCase(), context);
    if (letter === undefined || value === undefined) throw new Error(`"${written}" does not belong into "${text}"`);
    isKnown &&= letter.toLowerCase() !== 'p';
    const kept = transformed(value, { digits, reverse, delimiters });
    // §7.3: an upper-case letter requires URL escapes.
    return letter === letter.toLowerCase() ? kept : escapeForUrl(kept);
  });
  return isKnown ? shortened(name.toLowerCase()) : null;
}

/** The number of parts from the right, whether their order is reversed, and their delimiters; each '' where absent. */
type Transformer = Record<'digits' | 'reverse' | 'delimiters', string>;

function transformed(value: string, { digits, reverse, delimiters }: Transformer): string {
  if (digits !== '' && Number(digits) === 0) throw new Error('a macro keeps at least one part');
  const between = delimiters === '' ? '.' : new RegExp(`[${delimiters.replaceAll('-', String.raw`\-`)}]`);
  const parts = value.split(between);
  if (reverse !== '') parts.reverse();
  return parts.slice(digits === '' ? 0 : -Number(digits)).join('.');
}

/** Undefined where there is no such macro. */
function valueOf(letter: string, { address, domain, sender, helo }: MacroContext): string | undefined {
  const at = sender.lastIndexOf('@');
  const values: Readonly<Record<string, string>> = {
    s: sender,
    l: sender.slice(0, at),
    o: sender.slice(at + 1),
    d: domain,
    i: dottedAddress(address),
    p: 'unknown',
    v: address.kind() === 'ipv4' ? 'in-addr' : 'ip6',
    h: helo,
  };
  return values[letter];
}

/** §7.3: IPv6 as its 32 digits. */
function dottedAddress(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (address.kind() === 'ipv4') return address.toString();
  return [...Buffer.from(address.toByteArray()).toString('hex')].join('.');
}

/** RFC 3986 §2.3: all but the unreserved characters. */
const escapeForUrl = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/** §7.3: labels are removed from the left until the name is short enough. */
function shortened(name: string): string {
  if (name.length <= NAME_LENGTH) return name;
  const dot = name.indexOf('.', name.length - NAME_LENGTH - 1);
  return name.slice((dot < 0 ? name.lastIndexOf('.') : dot) + 1);
}
