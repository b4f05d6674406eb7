import type { TextLeaf } from './encode-text.js';
import { encodeText } from './encode-text.js';

/** The `Content-*` fields of a message, each ended by CRLF, and its body. */
export interface MimeTree {
  fields: string;
  body: Buffer;
}

const CRLF = Buffer.from('\r\n');

/** Text, HTML, or both as alternatives with the text first (RFC 2046 §5.1.4); '' if there is none. */
export function textTree(text: string, html: string, boundary: string): MimeTree {
  const parts = [
    ...(text === '' && html !== '' ? [] : [leaf('plain', text)]),
    ...(html === '' ? [] : [leaf('html', html)]),
  ];
  if (parts.length === 1) return { fields: parts[0].fields, body: withFinalCrlf(parts[0].content.bytes) };
  const pieces: Buffer[] = [];
  for (const { fields, content } of parts) {
    pieces.push(Buffer.from(`--${boundary}\r\n${fields}\r\n`, 'latin1'), content.bytes, CRLF);
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`, 'latin1'));
  return {
    fields: `Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n`,
    body: Buffer.concat(pieces),
  };
}

function leaf(subtype: 'plain' | 'html', text: string): { fields: string; content: TextLeaf } {
  const content = encodeText(text);
  const fields = `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${content.encoding}\r\n`;
  return { fields, content };
}

function withFinalCrlf(bytes: Buffer): Buffer {
  const closed = bytes.length === 0 || (bytes.length > 1 && bytes[bytes.length - 1] === 0x0a);
  return closed ? bytes : Buffer.concat([bytes, CRLF]);
}
