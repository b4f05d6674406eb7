const EMPTY = Buffer.alloc(0);
const NOT_CANONICAL = /[\t\r\n]| {2}/;

/**
 * The header block as one-byte characters, so that no octet is lost. `occurrences` has, by lower-case name, the canonical
 * fields from top to bottom.
 */
export interface RelaxedHead {
  occurrences: Map<string, string[]>;
  /** Offset of the body in the message. */
  bodyOffset: number;
}

/** Reads the fields of `front`, and after them the header block of a message with CRLF line ends. */
export function relaxedHead(message: Buffer, front: Buffer = EMPTY): RelaxedHead {
  const blank = message.indexOf('\r\n\r\n');
  const bare = message[0] === 0x0d;
  const end = blank < 0 ? message.length : blank;
  const occurrences = new Map<string, string[]>();
  const text = front.toString('latin1') + (bare ? '' : message.toString('latin1', 0, end));
  for (const field of text.split(/\r\n(?![ \t])/)) {
    const colon = field.indexOf(':');
    if (colon < 0) continue;
    const name = fieldName(field.slice(0, colon));
    const fields = occurrences.get(name);
    const canonical = relaxedField(name, field.slice(colon + 1));
    if (fields) fields.push(canonical);
    else occurrences.set(name, [canonical]);
  }
  if (bare) return { occurrences, bodyOffset: 2 };
  return { occurrences, bodyOffset: blank < 0 ? message.length : blank + 4 };
}

/** RFC 6376 §3.4.2: name in lower case, value unfolded, white space reduced and cut at both ends. No line end. */
export function relaxedField(lowerName: string, value: string): string {
  // Not trim(): in one-byte text it would also remove 0xA0 and 0x85, which are octets of UTF-8 characters.
  const reduced = NOT_CANONICAL.test(value) ? value.replace(/[ \t\r\n]+/g, ' ') : value;
  const from = reduced.startsWith(' ') ? 1 : 0;
  const to = reduced.length > from && reduced.endsWith(' ') ? reduced.length - 1 : reduced.length;
  return `${lowerName}:${reduced.slice(from, to)}`;
}

function fieldName(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return text.slice(0, end).toLowerCase();
}
