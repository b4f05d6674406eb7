import type { PartsContent } from './submission.js';

/**
 * The parts of a mail as `email_contents.body` keeps them: a byte with the number of this form, the length of the head
 * (four bytes, big end first), the head as JSON, then the bytes of html, text and files one after another. Nothing large
 * goes through JSON or base64, which would hold the event loop and take a third more room.
 */
const FORM = 1;
const HEAD_AT = 5;

interface Head {
  /** Bytes of each part; absent where the mail has none. */
  html?: number;
  text?: number;
  headers: [string, string][];
  attachments: { filename: string; contentType: string; contentId?: string; bytes: number }[];
}

/** The form of rows that were written before `FORM`; it begins with a brace. */
interface JsonForm {
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
  const start = Buffer.alloc(HEAD_AT, FORM);
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
  const json = JSON.parse(body.toString()) as JsonForm;
  return {
    format: 'parts',
    ...json,
    attachments: json.attachments.map((file) => ({ ...file, content: Buffer.from(file.content, 'base64') })),
  };
}
