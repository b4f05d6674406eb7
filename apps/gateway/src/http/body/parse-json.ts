import { Refusal } from '#libs/contracts';
import { yielding } from '#libs/kernel';
import {
  checkJsonLimits,
  JsonScanner,
  MAX_KEY_BYTES,
  type ByteArray,
  type JsonLimits,
  type StringPart,
} from './json-limits.js';

/** Bytes processed before yielding to the event loop: a few milliseconds in the worst case. */
export const SLICE_BYTES = 256 * 1024;
/** Longer strings are extracted from a large body before it is parsed. */
const MAX_INLINE_BYTES = 64;
/** Runs of white space outside of strings; an inline string cannot contain so many. */
const LONG_BLANKS = new RegExp(`[ \\t\\r\\n]{${MAX_KEY_BYTES + 1},}`, 'g');

/** The value of a small JSON body within the limits. @throws Refusal `malformed_json`. */
export function parseSmallJson(bytes: Buffer, limits: JsonLimits): unknown {
  checkJsonLimits(bytes, limits);
  return parse(bytes.toString('utf8'));
}

/**
 * The same for a body of any size, without blocking the event loop. Decoding text is the expensive part, and `JSON.parse`
 * cannot pause inside a string: so long strings are decoded slice by slice during the scan and replaced by placeholders,
 * which are filled in after the rest has been parsed. The JSON limits bound the size of that rest. Arrays of bytes become
 * base64 in the same way.
 */
export async function parseLargeJson(bytes: Buffer, limits: JsonLimits): Promise<unknown> {
  const strings = new StringExtractor(bytes);
  const scan = new JsonScanner(bytes, limits, {
    onString: (part) => strings.take(part),
    onBytes: (array) => strings.takeBytes(array),
  });
  while (!scan.advance(SLICE_BYTES)) {
    strings.copyUpTo(scan.position);
    await yielding.pause();
  }
  return strings.parse();
}

class StringExtractor {
  private readonly strings: string[] = [];
  private parts: string[] = [];
  /** The body with a placeholder for each long string. */
  private rest = '';
  private copied = 0;

  constructor(private readonly bytes: Buffer) {}

  take({ start, from, to, escaped, last }: StringPart): void {
    if (last && from === start && to - from <= MAX_INLINE_BYTES) return;
    const text = this.bytes.toString('utf8', from, to);
    this.parts.push(escaped ? (parse(`"${text}"`) as string) : text);
    if (!last) return;
    this.copyUpTo(start);
    this.rest += placeholder(this.strings.length);
    this.copied = to;
    this.strings.push(this.parts.join(''));
    this.parts = [];
  }

  takeBytes({ start, end, content }: ByteArray): void {
    this.copyUpTo(start);
    this.rest += `"${placeholder(this.strings.length)}"`;
    this.copied = end;
    this.strings.push(Buffer.concat(content).toString('base64'));
  }

  copyUpTo(position: number): void {
    this.rest += this.bytes.toString('utf8', this.copied, position).replace(LONG_BLANKS, ' ');
    this.copied = position;
  }

  parse(): unknown {
    this.copyUpTo(this.bytes.length);
    return this.filled(parse(this.rest));
  }

  /** Replaces the placeholders in place; nothing else refers to these objects. */
  private filled(value: unknown): unknown {
    if (typeof value === 'string') return value.startsWith(PLACEHOLDER) ? this.strings[Number(value.slice(1))] : value;
    if (typeof value !== 'object' || value === null) return value;
    const container = value as Record<string, unknown>;
    for (const key of Object.keys(container)) container[key] = this.filled(container[key]);
    return container;
  }
}

/** The scanner refuses NUL in any spelling, so no string of the body looks like a placeholder. */
const PLACEHOLDER = '\0';
const placeholder = (index: number): string => `\\u0000${index}`;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('malformed_json');
  }
}
