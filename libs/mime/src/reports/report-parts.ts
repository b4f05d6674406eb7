import { decodeTransferEncoding } from '../parse/transfer-encoding.js';
import { readStructuredValue, type StructuredValue } from '../parse/structured-value.js';
import { fieldValue, MAX_HEAD, readLenientHead, type ReportField } from './lenient-head.js';

/** A part without parts of its own. `message/rfc822` counts as one; its `body` begins with the head of the message. */
export interface ReportPart {
  /** `type/subtype` in lower case; `text/plain` where the part names none. */
  type: string;
  /** By lower-case name. */
  parameters: ReadonlyMap<string, string>;
  fields: ReportField[];
  /** Decoded; at most the first 256 KiB. */
  body: Buffer;
}

/** A message split into header and leaf parts. */
export interface ReportMessage {
  /** Header of the message itself. */
  fields: ReportField[];
  /** Its `Content-Type`. */
  type: StructuredValue;
  /** Leaf parts of all levels, in order. */
  parts: ReportPart[];
}

/** Work in steps of some milliseconds, between which the caller may let the event loop run. */
export type Steps<T> = Generator<void, T>;

/** Runs all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Containers included. */
const MAX_PARTS = 200;
const MAX_DEPTH = 20;
const MAX_BODY = 256 * 1024;
const MAX_BOUNDARY = 250;
/** Octets that are searched for a delimiter in one step. */
const STEP_OCTETS = 256 * 1024;
/** Lines that begin like a delimiter without being one. Bounds the work on hostile messages. */
const MAX_LOOKALIKES = 20_000;

const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;

interface Delimiter {
  /** Index in the stack of open multiparts. */
  level: number;
  closing: boolean;
  start: number;
  end: number;
}

interface OpenPart {
  type: StructuredValue;
  fields: ReportField[];
  bodyAt: number;
  /** Index of its own boundary; -1 for a leaf. A multipart without any of its delimiters is a leaf too. */
  level: number;
}

/**
 * Splits a message of any origin into its parts, in one pass that is bounded in parts, depth and octets of a part; never
 * throws. Unlike `PartWalk` it keeps the boundaries of all open multiparts: reports are often cut off or wrongly nested,
 * so the delimiter of an outer multipart ends inner ones that were never closed. Yields after each part, and in large ones.
 */
export function readReportParts(message: Buffer): Steps<ReportMessage> {
  return new LenientPartReader(message).read();
}

class LenientPartReader {
  private readonly boundaries: string[] = [];
  private readonly parts: ReportPart[] = [];
  private opened = 0;
  /** Octets of headers that may still be read, for all parts together. */
  private headOctetsLeft = MAX_HEAD;
  private lookalikes = 0;
  private current: OpenPart | null = null;

  constructor(private readonly message: Buffer) {}

  *read(): Steps<ReportMessage> {
    const { fields, type, bodyAt } = this.open(0);
    for (let at = bodyAt; ;) {
      const found = yield* this.nextDelimiter(at);
      yield;
      if (found === null) break;
      this.close(found.start, found.level);
      this.boundaries.length = found.closing ? found.level : found.level + 1;
      at = found.end;
      if (this.opened === MAX_PARTS || this.headOctetsLeft <= 0 || this.boundaries.length === 0) break;
      if (!found.closing) at = this.open(found.end).bodyAt;
    }
    this.close(this.message.length);
    return { fields, type, parts: this.parts };
  }

  private open(start: number): OpenPart {
    const { fields, end } = readLenientHead(this.message, start, this.headOctetsLeft);
    this.headOctetsLeft -= end - start;
    const type = readStructuredValue(fieldValue(fields, 'content-type') || 'text/plain');
    const boundary = type.value.startsWith('multipart/') ? (type.parameters.get('boundary')?.trimEnd() ?? '') : '';
    const usable = boundary !== '' && boundary.length <= MAX_BOUNDARY && this.boundaries.length < MAX_DEPTH;
    const level = usable ? this.boundaries.push(boundary) - 1 : -1;
    this.opened += 1;
    this.current = { type, fields, bodyAt: end, level };
    return this.current;
  }

  /** Ends the open part. The preamble of a multipart is dropped. */
  private close(end: number, delimiter?: number): void {
    const part = this.current;
    this.current = null;
    if (part === null || part.level === (delimiter ?? -2)) return;
    const encoding = fieldValue(part.fields, 'content-transfer-encoding');
    const octets = this.message.subarray(part.bodyAt, Math.max(part.bodyAt, Math.min(end, part.bodyAt + MAX_BODY)));
    // The type ends where a parameter without its semicolon begins.
    const [value] = part.type.value.split(/[\s,]/, 1);
    const leaf = value.includes('/') && !value.startsWith('multipart/');
    this.parts.push({
      type: leaf ? value : 'text/plain',
      parameters: part.type.parameters,
      fields: part.fields,
      body: decodeTransferEncoding(octets, encoding),
    });
  }

  private *nextDelimiter(from: number): Steps<Delimiter | null> {
    if (this.boundaries.length === 0) return null;
    const { message } = this;
    for (let at = from; at < message.length; at += 1) {
      if ((at - from) % STEP_OCTETS === STEP_OCTETS - 1) yield;
      if (message[at] !== DASH || message[at + 1] !== DASH || (at > 0 && message[at - 1] !== LF)) continue;
      const found = this.delimiterAt(at);
      if (found !== null) return found;
      this.lookalikes += 1;
      if (this.lookalikes > MAX_LOOKALIKES) return null;
    }
    return null;
  }

  private delimiterAt(start: number): Delimiter | null {
    const line = this.message
      .toString('latin1', start + 2, start + 2 + MAX_BOUNDARY + 8)
      .split('\n', 1)[0]
      .trimEnd();
    const level = this.boundaries.lastIndexOf(line);
    const closed = level < 0 && line.endsWith('--') ? this.boundaries.lastIndexOf(line.slice(0, -2)) : -1;
    if (level < 0 && closed < 0) return null;
    const newline = this.message.indexOf(LF, start);
    return {
      level: Math.max(level, closed),
      closing: closed >= 0,
      // The line end before a delimiter belongs to it (RFC 2046 §5.1.1).
      start: Math.max(0, start - (this.message[start - 2] === CR ? 2 : 1)),
      end: newline < 0 ? this.message.length : newline + 1,
    };
  }
}
