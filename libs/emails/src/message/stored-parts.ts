import { parseRecipient, type Mailbox } from '#libs/mime';
import type { PartsContent } from './submitted-content.js';

/**
 * The format of `email_contents.body` for submitted parts: one byte with the format version, the length of the head
 * (four bytes, big-endian), the head as JSON, then the bytes of HTML, text and files. Large content is not encoded as
 * JSON or base64, which would block the event loop and take a third more space.
 */
const FORMAT_VERSION = 1;
const HEAD_AT = 5;

interface Head {
  /** Bytes of each part; absent parts are omitted. */
  html?: number;
  text?: number;
  headers: [string, string][];
  attachments: { filename: string; contentType: string; contentId?: string; bytes: number }[];
}

/** The format of rows written before `FORMAT_VERSION`; it begins with a brace. */
interface JsonFormat {
  html?: string;
  text?: string;
  headers: [string, string][];
  attachments: { filename: string; contentType: string; contentId?: string; content: string }[];
}
const BRACE = '{'.charCodeAt(0);

export function encodeParts({ html, text, headers, attachments }: PartsContent): Buffer {
  const bodies = [html, text].map((body) => (body === undefined ? undefined : Buffer.from(body)));
  const head: Head = {
    ...(bodies[0] ? { html: bodies[0].length } : {}),
    ...(bodies[1] ? { text: bodies[1].length } : {}),
    headers,
    attachments: attachments.map(({ content, filename, contentType, contentId }) => ({
      filename,
      contentType,
      ...(contentId === undefined ? {} : { contentId }),
      bytes: content.length,
    })),
  };
  const headBytes = Buffer.from(JSON.stringify(head));
  const start = Buffer.alloc(HEAD_AT, FORMAT_VERSION);
  start.writeUInt32BE(headBytes.length, 1);
  return Buffer.concat([
    start,
    headBytes,
    ...bodies.filter((body) => body !== undefined),
    ...attachments.map((file) => file.content),
  ]);
}

/** The files are views of `body`. */
export function decodeParts(body: Buffer): PartsContent {
  if (body[0] === BRACE) return decodeJson(body);
  let at = HEAD_AT;
  const take = (bytes: number) => body.subarray(at, (at += bytes));
  const head = JSON.parse(take(body.readUInt32BE(1)).toString()) as Head;
  return {
    format: 'parts',
    ...(head.html === undefined ? {} : { html: take(head.html).toString() }),
    ...(head.text === undefined ? {} : { text: take(head.text).toString() }),
    headers: head.headers,
    attachments: head.attachments.map(({ bytes, ...file }) => ({ ...file, content: take(bytes) })),
  };
}

function decodeJson(body: Buffer): PartsContent {
  const json = JSON.parse(body.toString()) as JsonFormat;
  return {
    format: 'parts',
    ...json,
    attachments: json.attachments.map((file) => ({ ...file, content: Buffer.from(file.content, 'base64') })),
  };
}

/** The brackets at the end of a stored mailbox. A quoted local part may contain brackets itself. */
const STORED_ADDRESS = /<("(?:[^"\\]|\\.){1,64}"@[^<>"@]+|[^<>"]*)>$/;

/** Parses `Name <address>` as stored from a valid mailbox; the name is the part before the brackets at its end. */
export function storedMailbox(stored: string): Mailbox {
  const found = STORED_ADDRESS.exec(stored);
  if (found !== null && found.index > 0) return { name: stored.slice(0, found.index).trim(), address: found[1] };
  const parsed = parseRecipient(stored);
  if ('problem' in parsed) throw new Error('a stored mailbox does not read');
  return parsed;
}
