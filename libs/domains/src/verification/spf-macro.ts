import ipaddr from 'ipaddr.js';

/** What is known of a mail while its SPF is evaluated. */
export interface MacroFacts {
  address: ipaddr.IPv4 | ipaddr.IPv6;
  /** Whose record is being read; another one within `include` and `redirect`. */
  domain: string;
  /** MAIL FROM, with a local part. */
  sender: string;
  /** The name of HELO or EHLO. */
  helo: string;
}

/** `%{…}`, `%%`, `%_` and `%-`; anything else behind a percent sign is a mistake. */
const MACRO = /%(?:\{([a-z])([0-9]*r?[-.+,/_=]*)\}|([%_-])|)/gi;
/** How many parts from the right, whether they are turned around, and what stands between them. */
const TRANSFORMER = /^(\d*)(r?)(.*)$/i;
const LITERALS: Readonly<Record<string, string>> = { '%': '%', _: ' ', '-': '%20' };
/** RFC 1035 §3.1. */
const NAME_LENGTH = 253;

/**
 * The name that a term with macros leads to (RFC 7208 §7), in lower case; null: that cannot be known, because it takes
 * the validated name of the address (`%{p}`, which should not be used).
 * @throws Error when the text breaks the rules of §7.1, or uses what belongs into explanations only (`c`, `r`, `t`)
 */
export function expandMacros(text: string, facts: MacroFacts): string | null {
  let isKnown = true;
  const name = text.replace(MACRO, (written: string, letter?: string, transformer = '', literal?: string) => {
    if (literal !== undefined) return LITERALS[literal];
    const value = letter === undefined ? undefined : valueOf(letter.toLowerCase(), facts);
    if (letter === undefined || value === undefined) throw new Error(`"${written}" does not belong into "${text}"`);
    isKnown &&= letter.toLowerCase() !== 'p';
    const kept = transformed(value, transformer);
    // §7.3: an upper-case letter asks for the escapes of a URL.
    return letter === letter.toLowerCase() ? kept : escapeForUrl(kept);
  });
  return isKnown ? shortened(name.toLowerCase()) : null;
}

function transformed(value: string, transformer: string): string {
  const [, digits, reverse, delimiters] = TRANSFORMER.exec(transformer) ?? [];
  if (digits !== '' && Number(digits) === 0) throw new Error('a macro keeps at least one part');
  const between = delimiters === '' ? '.' : new RegExp(`[${delimiters.replaceAll('-', String.raw`\-`)}]`);
  const parts = value.split(between);
  if (reverse !== '') parts.reverse();
  return parts.slice(digits === '' ? 0 : -Number(digits)).join('.');
}

/** Undefined: there is no such macro here. */
function valueOf(letter: string, { address, domain, sender, helo }: MacroFacts): string | undefined {
  const at = sender.lastIndexOf('@');
  const values: Readonly<Record<string, string>> = {
    s: sender,
    l: sender.slice(0, at),
    o: sender.slice(at + 1),
    d: domain,
    i: dotted(address),
    p: 'unknown',
    v: address.kind() === 'ipv4' ? 'in-addr' : 'ip6',
    h: helo,
  };
  return values[letter];
}

/** §7.3: IPv6 as its 32 digits. */
function dotted(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (address.kind() === 'ipv4') return address.toString();
  return [...Buffer.from(address.toByteArray()).toString('hex')].join('.');
}

/** RFC 3986 §2.3: all but the unreserved characters. */
const escapeForUrl = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/** §7.3: labels go from the left until the name is short enough. */
function shortened(name: string): string {
  return name.length <= NAME_LENGTH || !name.includes('.') ? name : shortened(name.slice(name.indexOf('.') + 1));
}
