import { Refusal } from '#libs/contracts';
import { nextTurn } from '#libs/kernel';
import { MAX_KEY_BYTES, scanStructure, StructureScan, type StructureLimits, type TextPart } from './structure-scan.js';

/** What is looked at without letting others go first: a few milliseconds in the worst case. */
export const SLICE_BYTES = 256 * 1024;
/** Longer strings are taken out of a large body before it is parsed. */
const SHORT_TEXT = 64;
/** No string that stays has so many. */
const LONG_BLANKS = new RegExp(`[ \\t\\r\\n]{${MAX_KEY_BYTES + 1},}`, 'g');

/** The value of a JSON body, and nothing that the scan of its structure refuses. @throws Refusal `malformed_json`. */
export function parseSmallJson(bytes: Buffer, limits: StructureLimits): unknown {
  scanStructure(bytes, limits);
  return parse(bytes.toString('utf8'));
}

/**
 * The same for a body of any size, never holding the event loop for long. Decoding text is what costs, and a parser
 * cannot stop inside a string: so strings are decoded slice by slice while the scan finds them, their places are parsed
 * instead, and the strings put there at the end. How much is left to parse at once follows from the structure limits.
 */
export async function parseLargeJson(bytes: Buffer, limits: StructureLimits): Promise<unknown> {
  const texts = new TextsApart(bytes);
  const scan = new StructureScan(bytes, limits, (part) => texts.take(part));
  while (!scan.advance(SLICE_BYTES)) {
    texts.copyUpTo(scan.position);
    await nextTurn();
  }
  return texts.parse();
}

class TextsApart {
  private readonly texts: string[] = [];
  private parts: string[] = [];
  /** The body with a place in the stead of each long string. */
  private rest = '';
  private copied = 0;

  constructor(private readonly bytes: Buffer) {}

  take({ start, from, to, escaped, last }: TextPart): void {
    if (last && from === start && to - from <= SHORT_TEXT) return;
    const text = this.bytes.toString('utf8', from, to);
    this.parts.push(escaped ? (parse(`"${text}"`) as string) : text);
    if (!last) return;
    this.copyUpTo(start);
    this.rest += placeOf(this.texts.length);
    this.copied = to;
    this.texts.push(this.parts.join(''));
    this.parts = [];
  }

  copyUpTo(position: number): void {
    this.rest += this.bytes.toString('utf8', this.copied, position).replace(LONG_BLANKS, ' ');
    this.copied = position;
  }

  parse(): unknown {
    this.copyUpTo(this.bytes.length);
    return this.filled(parse(this.rest));
  }

  /** The value with every string at its place; changes containers in place, they are ours alone. */
  private filled(value: unknown): unknown {
    if (typeof value === 'string') return value.startsWith(PLACE) ? this.texts[Number(value.slice(1))] : value;
    if (typeof value !== 'object' || value === null) return value;
    const container = value as Record<string, unknown>;
    for (const key of Object.keys(container)) container[key] = this.filled(container[key]);
    return container;
  }
}

/** The scan refuses NUL in every spelling, so no string of the body looks like a place. */
const PLACE = '\0';
const placeOf = (index: number): string => `\\u0000${index}`;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('malformed_json');
  }
}
