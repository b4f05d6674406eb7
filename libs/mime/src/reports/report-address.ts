/** Local part and domain without quoting; bounded, so that it is linear in the text. */
const ADDRESS = /[^\s<>()[\]{},;:"'|*=`\\]{1,64}@[^\s<>()[\]{},;:"'|*=`\\@]{1,255}/;
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
  return firstAddress(bracket ?? plain);
}

/** The first address in a line of text; null where there is none. */
export function firstAddress(text: string): string | null {
  return ADDRESS.exec(text)?.[0].replace(/[.!?]{1,9}$/, '') ?? null;
}

function characterOf(all: string, code: number): string {
  return code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : all;
}
