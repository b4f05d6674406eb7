import { isAscii } from 'node:buffer';
import { decodeWords } from './decode-words.js';
import { isStructured, mailboxField, textField } from './encode-header.js';
import { base64Lines, quotedPrintable } from './encode-text.js';
import { readAddressList } from './read-address-list.js';
import { readMessageHead } from './read-message-head.js';
import type { HeaderField } from './read-message-head.js';
import { readStructuredValue } from './read-structured-value.js';
import type { StructuredValue } from './read-structured-value.js';
import { splitMultipart } from './split-multipart.js';

const MAX_DEPTH = 20;
const ADDRESSES = new Set(['from', 'sender', 'reply-to', 'to', 'cc', 'resent-from', 'resent-sender', 'resent-to']);
/** Free text nowhere: an encoded word in them would not be decoded. */
const MACHINE = /^(?:content-|message-id$|date$|received$|mime-version$|dkim-|arc-|return-path$)/;
const ENCODING = 'content-transfer-encoding';

/** A body, and the transfer encoding that is true of it now; null: the one that it had. */
interface Encoded {
  body: Buffer;
  encoding: '7bit' | 'quoted-printable' | 'base64' | null;
}

/**
 * The message in seven-bit octets, which every server takes: texts as quoted-printable, other content as base64, raw
 * text in headers as encoded words (RFC 2047); decoded, each part is what it was. Null where that cannot be had: an
 * address that is not ASCII, a part that a sender signed (RFC 1847 §2.1), an encoding that contradicts itself. Linear.
 */
export function toSevenBit(message: Buffer): Buffer | null {
  return convert(message, 0);
}

function convert(entity: Buffer, depth: number): Buffer | null {
  if (isAscii(entity)) return entity;
  const head = depth > MAX_DEPTH ? null : readMessageHead(entity);
  if (head === null || 'problem' in head) return null;
  const { fields, bodyOffset } = head;
  const encoded = encode(entity.subarray(bodyOffset), fields, depth);
  const kept = encoded === null ? null : convertFields(entity, fields, encoded.encoding !== null);
  if (encoded === null || kept === null) return null;
  const added =
    encoded.encoding === null ? '' : `${mimeFields(fields, depth)}Content-Transfer-Encoding: ${encoded.encoding}\r\n`;
  return Buffer.concat([...kept, Buffer.from(`${added}\r\n`), encoded.body]);
}

/** `reencoded`: without the transfer encoding that was true before. */
function convertFields(entity: Buffer, fields: HeaderField[], reencoded: boolean): Buffer[] | null {
  const lines: Buffer[] = [];
  for (const field of fields) {
    if (reencoded && field.key === ENCODING) continue;
    const octets = entity.subarray(field.start, field.end);
    const line = isAscii(octets) ? octets : encodeField(field);
    if (line === null) return null;
    lines.push(line);
  }
  return lines;
}

function encode(body: Buffer, fields: HeaderField[], depth: number): Encoded | null {
  if (isAscii(body)) return { body, encoding: null };
  const type = readStructuredValue(valueOf(fields, 'content-type') ?? 'text/plain');
  if (type.value.startsWith('multipart/')) return encodeParts(body, type, depth);
  if (type.value === 'message/rfc822') {
    const inner = convert(body, depth + 1);
    return inner === null ? null : { body: inner, encoding: '7bit' };
  }
  const declared = valueOf(fields, ENCODING)?.toLowerCase() ?? '7bit';
  // RFC 2046 §5.2: nothing else of that kind may be encoded; and what is encoded already has no such octets.
  if (type.value.startsWith('message/') || !['7bit', '8bit', 'binary'].includes(declared)) return null;
  if (type.value.startsWith('text/') || !type.value.includes('/'))
    return { body: quotedPrintable(body), encoding: 'quoted-printable' };
  return { body: Buffer.concat([base64Lines(body), Buffer.from('\r\n')]), encoding: 'base64' };
}

function encodeParts(body: Buffer, type: StructuredValue, depth: number): Encoded | null {
  const boundary = type.parameters.get('boundary');
  if (type.value === 'multipart/signed' || boundary === undefined) return null;
  const pieces: Buffer[] = [];
  for (const { kind, octets } of splitMultipart(body, boundary)) {
    // Nobody shows what stands before the first part and behind the last one.
    const piece = kind === 'part' ? convert(octets, depth + 1) : withoutHighBits(octets);
    if (piece === null) return null;
    pieces.push(piece);
  }
  return { body: Buffer.concat(pieces), encoding: '7bit' };
}

function withoutHighBits(octets: Buffer): Buffer {
  return isAscii(octets) ? octets : Buffer.from(octets.toString('latin1').replace(/[^\0-\x7f]/g, '?'), 'latin1');
}

/** A text of before MIME gets what its new encoding needs; RFC 1428 §3 for the charset that nobody named. */
function mimeFields(fields: HeaderField[], depth: number): string {
  if (depth > 0 || valueOf(fields, 'mime-version') !== undefined) return '';
  const type = valueOf(fields, 'content-type') === undefined ? 'Content-Type: text/plain; charset=utf-8\r\n' : '';
  return `MIME-Version: 1.0\r\n${type}`;
}

function encodeField({ name, value }: HeaderField): Buffer | null {
  const key = name.toLowerCase();
  if (ADDRESSES.has(key)) {
    const mailboxes = readAddressList(value);
    const sayable = mailboxes.length > 0 && mailboxes.every(({ address }) => isAscii(Buffer.from(address)));
    return sayable ? Buffer.from(mailboxField(name, mailboxes)) : null;
  }
  return MACHINE.test(key) || isStructured(name) ? null : Buffer.from(textField(name, decodeWords(value)));
}

function valueOf(fields: HeaderField[], key: string): string | undefined {
  return fields.find(({ name }) => name.toLowerCase() === key)?.value;
}
