import { isUtf8 } from 'node:buffer';
import { decodeTransfer } from './decode-transfer.js';
import { decodeBytes } from './decode-words.js';
import { delimitedParts, type PartWalk } from './delimited-parts.js';
import { readPartHead } from './read-part-head.js';
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

interface Reading extends ReadParts, PartWalk {
  parts: number;
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
  const head = readPartHead(part);
  const { body } = head;
  // The first of a name counts, so it is set last.
  const fields = new Map(head.fields.toReversed());
  const type = readStructuredValue(fields.get('content-type') ?? 'text/plain');
  const boundary = type.parameters.get('boundary');
  if (type.value.startsWith('multipart/') && boundary) {
    if (depth === MAX_DEPTH) reading.truncated = true;
    else for (const child of delimitedParts(reading, body, boundary)) readPart(reading, child, depth + 1);
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
