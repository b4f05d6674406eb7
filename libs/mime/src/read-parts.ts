import { isUtf8 } from 'node:buffer';
import { decodeTransfer } from './decode-transfer.js';
import { decodeBytes } from './decode-words.js';
import type { StructuredValue } from './read-structured-value.js';
import { readStructuredValue } from './read-structured-value.js';

/** A part that is not the mail's own text. */
export interface ReadAttachment {
  /** Decoded, as the sender wrote it; '' where the part has no name. Not safe as a path. */
  filename: string;
  /** `type/subtype` in lower case, as the sender claims. */
  contentType: string;
  /** Without angle brackets. */
  contentId?: string;
  /** True where the part says `Content-Disposition: attachment`. */
  attached: boolean;
  /** Octets after decoding. */
  size: number;
  content: Buffer;
}

export interface ReadParts {
  html?: string;
  text?: string;
  attachments: ReadAttachment[];
  /** The message has more parts, levels or boundary look-alikes than are read; what is given is the beginning. */
  truncated: boolean;
}

/** Leaves and containers alike. */
const MAX_PARTS = 200;
const MAX_DEPTH = 20;
const MAX_HEAD = 64 * 1024;
/** Bounds the work on bodies that are full of things that look like a boundary. */
const MAX_LOOKALIKES = 20_000;
const LF = 0x0a;
const CR = 0x0d;

interface Reading extends ReadParts {
  parts: number;
  lookalikes: number;
}

interface Leaf {
  fields: Map<string, string>;
  type: StructuredValue;
  body: Buffer;
}

/**
 * Reads the texts and files of a message of any origin: the first plain and the first html part that are neither named nor
 * attached are the mail's text, all else are attachments. Bounded in parts and depth; gives what it can and never throws.
 */
export function readParts(message: Buffer): ReadParts {
  const reading: Reading = { attachments: [], truncated: false, parts: 0, lookalikes: 0 };
  readPart(reading, message, 0);
  const { html, text, attachments, truncated } = reading;
  return { ...(html === undefined ? {} : { html }), ...(text === undefined ? {} : { text }), attachments, truncated };
}

function readPart(reading: Reading, part: Buffer, depth: number): void {
  if (reading.parts === MAX_PARTS) {
    reading.truncated = true;
    return;
  }
  reading.parts += 1;
  const { fields, body } = splitHead(part);
  const type = readStructuredValue(fields.get('content-type') ?? 'text/plain');
  const boundary = type.parameters.get('boundary');
  if (type.value.startsWith('multipart/') && boundary) {
    if (depth === MAX_DEPTH) reading.truncated = true;
    else for (const child of childrenOf(reading, body, boundary)) readPart(reading, child, depth + 1);
    return;
  }
  readLeaf(reading, { fields, type, body });
}

function readLeaf(reading: Reading, { fields, type, body }: Leaf): void {
  const content = decodeTransfer(body, fields.get('content-transfer-encoding') ?? '');
  const disposition = readStructuredValue(fields.get('content-disposition') ?? '');
  const filename = disposition.parameters.get('filename') || type.parameters.get('name') || '';
  const attached = disposition.value === 'attachment';
  if (filename === '' && !attached && takeText(reading, type, content)) return;
  const contentId = fields.get('content-id')?.trim().replace(/^<|>$/g, '');
  reading.attachments.push({
    filename,
    contentType: type.value.includes('/') ? type.value : 'text/plain',
    ...(contentId ? { contentId } : {}),
    attached,
    size: content.length,
    content,
  });
}

/** True if the part became the text or the html of the mail. */
function takeText(reading: Reading, type: StructuredValue, content: Buffer): boolean {
  const member = type.value === 'text/html' ? 'html' : 'text';
  const readable = member === 'html' || type.value === 'text/plain' || !type.value.includes('/');
  if (!readable || reading[member] !== undefined) return false;
  const charset = type.parameters.get('charset')?.trim().toLowerCase() ?? '';
  // Undeclared and wrongly declared 8-bit text: UTF-8 is self-proving, what remains is nearly always Windows-1252.
  const guessed = charset === '' || charset === 'us-ascii' || charset === 'utf-8';
  reading[member] = decodeBytes(content, guessed ? (isUtf8(content) ? 'utf-8' : 'windows-1252') : charset);
  return true;
}

/** Lenient: takes every line that looks like a field, since a reader somewhere does; the first of a name counts. */
function splitHead(part: Buffer): { fields: Map<string, string>; body: Buffer } {
  const bodyAt = endOfHead(part);
  const fields = new Map<string, string>();
  const head = part.subarray(0, Math.min(bodyAt, MAX_HEAD));
  for (const line of head.toString(isUtf8(head) ? 'utf8' : 'latin1').split(/\r?\n(?![ \t])/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (name !== '' && !fields.has(name)) fields.set(name, line.slice(colon + 1).replace(/[\r\n]+/g, ''));
  }
  return { fields, body: part.subarray(bodyAt) };
}

function endOfHead(part: Buffer): number {
  for (let at = 0; at < part.length;) {
    if (part[at] === LF) return at + 1;
    if (part[at] === CR && part[at + 1] === LF) return at + 2;
    const newline = part.indexOf(LF, at);
    if (newline < 0 || newline > MAX_HEAD) break;
    at = newline + 1;
  }
  return part.length;
}

/** The stretches between the delimiter lines of RFC 2046 §5.1.1; without a closing line the last one reaches to the end. */
function* childrenOf(reading: Reading, body: Buffer, boundary: string): Generator<Buffer> {
  const delimiter = Buffer.from(`--${boundary}`);
  let childFrom = -1;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    const line = readDelimiterLine(body, at, delimiter.length);
    if (line === undefined) {
      reading.lookalikes += 1;
      if (reading.lookalikes > MAX_LOOKALIKES) {
        reading.truncated = true;
        break;
      }
      continue;
    }
    if (childFrom >= 0) yield body.subarray(childFrom, Math.max(childFrom, lineEndBefore(body, at)));
    if (reading.truncated) return;
    childFrom = line.closing ? -1 : line.end;
    if (line.closing) break;
  }
  if (childFrom >= 0) yield body.subarray(childFrom);
}

/** Undefined where the match is inside a line or the line goes on with something else. */
function readDelimiterLine(body: Buffer, at: number, length: number): { closing: boolean; end: number } | undefined {
  if (at > 0 && body[at - 1] !== LF) return undefined;
  let end = at + length;
  const closing = body[end] === 0x2d && body[end + 1] === 0x2d;
  if (closing) end += 2;
  while (body[end] === 0x20 || body[end] === 0x09) end += 1;
  if (body[end] === CR) end += 1;
  if (end < body.length && body[end] !== LF) return undefined;
  return { closing, end: Math.min(end + 1, body.length) };
}

/** The line end before a delimiter belongs to the delimiter. */
function lineEndBefore(body: Buffer, at: number): number {
  if (at > 1 && body[at - 2] === CR) return at - 2;
  return Math.max(at - 1, 0);
}
