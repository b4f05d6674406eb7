/** What is in no address without quoting (RFC 5322 §3.2.3), and what Chinese and Japanese text has in its place. */
const BESIDE = '\\s<>()[\\]\\\\,;:"@：；，。、（）［］【】「」『』〈〉《》“”‘’';
/** What may be in a local part, and stands in prose more often beside an address. */
const MARKS = "{}'|*=`";
/** All pieces are bounded, so that what is made of them is linear in the text. */
const LOCAL = `[^${BESIDE}]{1,64}`;
const DOMAIN = `[^${BESIDE}${MARKS}]{1,255}`;
const WHOLE = new RegExp(`^<?(['"\`]?)(${LOCAL}@${DOMAIN})\\1>?$`);
/** An apostrophe between letters is part of a name. */
const PLAIN = `(?:[^${BESIDE}${MARKS}]|(?<=[\\p{L}\\p{N}])'(?=[\\p{L}\\p{N}])){1,64}`;
const FIRST = new RegExp(`<(${LOCAL}@${DOMAIN})>|(${PLAIN}@${DOMAIN})`, 'u');
const TYPE = /^\s{0,20}[a-z0-9-]{1,40}\s{0,20};/i;
const XTEXT = /\+(2B|3D)/g;
const ESCAPE = /\\x\{([0-9a-f]{2,6})\}/gi;

/**
 * The address of a `Final-Recipient` or `Original-Recipient` field: without its type, name, brackets and comment, decoded
 * from xtext (RFC 3461 §4) and from the escapes of RFC 6533 §3. Null for what is no mail address.
 */
export function reportedAddress(value: string): string | null {
  const plain = value
    .slice(0, 2_000)
    .replace(TYPE, '')
    .replace(ESCAPE, (all, code: string) => characterOf(all, parseInt(code, 16)))
    // Others may stand in an address as they are.
    .replace(XTEXT, (_all, code: string) => (code === '2B' ? '+' : '='));
  const bracket = /<([^<>\s]{1,320})>/.exec(plain)?.[1];
  return addressOfField(bracket ?? plain);
}

/** The address in a field, where a word that can be one is one as a whole; null where there is none. */
export function addressOfField(value: string): string | null {
  const whole = value.split(/\s{1,100}/).flatMap((word) => WHOLE.exec(word)?.[2] ?? []);
  return withoutStop(whole.at(0)) ?? firstAddress(value);
}

/** The first address in a line of text; null where there is none. */
export function firstAddress(text: string): string | null {
  const found = FIRST.exec(text);
  return withoutStop(found?.[1] ?? found?.[2]);
}

const withoutStop = (address: string | undefined): string | null => address?.replace(/[.!?]{1,9}$/, '') ?? null;

function characterOf(all: string, code: number): string {
  return code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : all;
}
