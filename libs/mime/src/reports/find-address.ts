import { parseRecipient } from '../parse/mailbox.js';

/** Characters that no unquoted address contains (RFC 5322 §3.2.3), and their full-width forms. */
const OUTSIDE = '\\s<>()[\\]\\\\,;:"@：；，。、（）［］【】「」『』〈〉《》“”‘’';
/** Legal in a local part, but in free text more often next to an address. */
const MARKS = "{}'|*=`";
/** All repetitions are bounded, so that each search is linear in the text. */
const LOCAL = `[^${OUTSIDE}]{1,64}`;
const DOMAIN = `[^${OUTSIDE}${MARKS}]{1,255}`;
const WHOLE = new RegExp(`^<?(['"\`]?)(${LOCAL}@${DOMAIN})\\1>?$`);
/** An apostrophe between letters is part of a name. */
const PLAIN = `(?:[^${OUTSIDE}${MARKS}]|(?<=[\\p{L}\\p{N}])'(?=[\\p{L}\\p{N}])){1,64}`;
const FIRST = new RegExp(`<(${LOCAL}@${DOMAIN})>|(${PLAIN}@${DOMAIN})`, 'u');
const TYPE = /^\s{0,20}[a-z0-9-]{1,40}\s{0,20};/i;
const QUOTED_ADDRESS = /("(?:[^"\\]|\\.){1,64}"@[^\s<>"]{1,255})/;
const XTEXT = /\+(2B|3D)/g;
const ESCAPE = /\\x\{([0-9a-f]{2,6})\}/gi;

/**
 * The address of a `Final-Recipient` or `Original-Recipient` field: without its type, name, brackets and comment, decoded
 * from xtext (RFC 3461 §4) and from the escapes of RFC 6533 §3. Null where the value is not a mail address.
 */
export function decodeReportedAddress(value: string): string | null {
  const plain = value
    .slice(0, 2_000)
    .replace(TYPE, '')
    .replace(ESCAPE, (all, code: string) => characterOf(all, parseInt(code, 16)))
    // Other sequences of this form are legal in an address as they are.
    .replace(XTEXT, (_all, code: string) => (code === '2B' ? '+' : '='));
  const quoted = QUOTED_ADDRESS.exec(plain)?.[1];
  const mailbox = quoted === undefined ? null : parseRecipient(quoted);
  if (mailbox !== null && 'address' in mailbox) return mailbox.address;
  const bracket = /<([^<>\s]{1,320})>/.exec(plain)?.[1];
  return addressInField(bracket ?? plain);
}

/** The first word of a field that is an address as a whole, or else the first address in it; null where there is none. */
export function addressInField(value: string): string | null {
  const whole = value.split(/\s{1,100}/).flatMap((word) => WHOLE.exec(word)?.[2] ?? []);
  return withoutFinalStop(whole.at(0)) ?? firstAddress(value);
}

/** The first address in a line of text; null where there is none. */
export function firstAddress(text: string): string | null {
  // Most lines have no address, and the search tries up to 64 characters at each position.
  const found = text.includes('@') ? FIRST.exec(text) : null;
  return withoutFinalStop(found?.[1] ?? found?.[2]);
}

const withoutFinalStop = (address: string | undefined): string | null => address?.replace(/[.!?]{1,9}$/, '') ?? null;

function characterOf(all: string, code: number): string {
  return code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : all;
}
