import { decodeTransfer } from '../decode-transfer.js';
import { readStructuredValue, type StructuredValue } from '../read-structured-value.js';
import { fieldOf, MAX_HEAD, readHead, type ReportField } from './report-fields.js';

/** A part that holds no others; `message/rfc822` is one, its `body` begins with the head of the returned message. */
export interface ReportPart {
  /** `type/subtype` in lower case; `text/plain` where the part names none. */
  type: string;
  /** By lower-case name. */
  parameters: ReadonlyMap<string, string>;
  fields: ReportField[];
  /** Decoded; at most the first 256 KiB. */
  body: Buffer;
}

/** A message as the readers of reports see it. */
export interface ReportTree {
  /** Head of the message itself. */
  fields: ReportField[];
  /** Its `Content-Type`. */
  type: StructuredValue;
  /** Leaves in their order, of all levels. */
  parts: ReportPart[];
}

/** Containers count too. */
const MAX_PARTS = 200;
const MAX_DEPTH = 20;
const MAX_BODY = 256 * 1024;
const MAX_BOUNDARY = 250;
/** Lines that begin like a delimiter and are none; more of them are the body of some attack. */
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
  /** Index of its own boundary; -1 for a leaf. A multipart that none of its delimiters follows is a leaf too. */
  level: number;
}

/**
 * Takes a message of any origin apart. One pass over the octets, bounded in parts, depth and octets of a part; gives what
 * it can and never throws. Inner multiparts that are never closed end with the delimiter of an outer one.
 */
export function reportParts(message: Buffer): ReportTree {
  return new PartWalk(message).walk();
}

class PartWalk {
  private readonly boundaries: string[] = [];
  private readonly parts: ReportPart[] = [];
  private opened = 0;
  /** Octets of heads that may still be read, of all parts together. */
  private headRoom = MAX_HEAD;
  private lookalikes = 0;
  private current: OpenPart | null = null;

  constructor(private readonly message: Buffer) {}

  walk(): ReportTree {
    const { fields, type, bodyAt } = this.open(0);
    for (let at = bodyAt; ;) {
      const found = this.nextDelimiter(at);
      if (found === null) break;
      this.close(found.start, found.level);
      this.boundaries.length = found.closing ? found.level : found.level + 1;
      at = found.end;
      if (this.opened === MAX_PARTS || this.headRoom <= 0 || this.boundaries.length === 0) break;
      if (!found.closing) at = this.open(found.end).bodyAt;
    }
    this.close(this.message.length);
    return { fields, type, parts: this.parts };
  }

  private open(start: number): OpenPart {
    const { fields, end } = readHead(this.message, start, this.headRoom);
    this.headRoom -= end - start;
    const type = readStructuredValue(fieldOf(fields, 'content-type') || 'text/plain');
    const boundary = type.value.startsWith('multipart/') ? (type.parameters.get('boundary')?.trimEnd() ?? '') : '';
    const usable = boundary !== '' && boundary.length <= MAX_BOUNDARY && this.boundaries.length < MAX_DEPTH;
    const level = usable ? this.boundaries.push(boundary) - 1 : -1;
    this.opened += 1;
    this.current = { type, fields, bodyAt: end, level };
    return this.current;
  }

  /** Ends the open part. What stands before the first delimiter of a multipart is for readers without MIME. */
  private close(end: number, delimiter?: number): void {
    const part = this.current;
    this.current = null;
    if (part === null || part.level === (delimiter ?? -2)) return;
    const encoding = fieldOf(part.fields, 'content-transfer-encoding');
    const octets = this.message.subarray(part.bodyAt, Math.max(part.bodyAt, Math.min(end, part.bodyAt + MAX_BODY)));
    // Up to where a parameter without its semicolon begins.
    const [value] = part.type.value.split(/[\s,]/, 1);
    const leaf = value.includes('/') && !value.startsWith('multipart/');
    this.parts.push({
      type: leaf ? value : 'text/plain',
      parameters: part.type.parameters,
      fields: part.fields,
      body: decodeTransfer(octets, encoding),
    });
  }

  private nextDelimiter(from: number): Delimiter | null {
    if (this.boundaries.length === 0) return null;
    const { message } = this;
    for (let at = from; at < message.length; at += 1) {
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
