import { isAscii, isUtf8 } from 'node:buffer';
import { decodeEncodedWords } from '../parse/encoded-words.js';
import { foldedField, isStructured, textField } from './encode-header.js';
import { encodeParameters } from './encode-parameters.js';
import { ENCODED_TEXT, encodePhrases } from './encode-phrases.js';
import { base64Lines, quotedPrintable } from './encode-text.js';
import { readMessageHead, type HeaderField } from '../parse/message-head.js';
import { readStructuredValue, type StructuredValue } from '../parse/structured-value.js';
import { splitMultipart } from '../parse/multipart.js';

const MAX_DEPTH = 20;
/** Fields of servers before us. No reader shows them, and their signatures are broken by the conversion. */
const TRACE = /^(?:received|return-path$|dkim-|arc-|authentication-results$)/;
const PARAMETERS = new Set(['content-type', 'content-disposition']);
const ENCODING = 'content-transfer-encoding';

/** A message has header fields of its own, and in a digest a part without type is a message. */
interface EntityPosition {
  depth: number;
  kind: 'message' | 'part' | 'digest part';
}

/** A body and its new transfer encoding; null: unchanged. */
interface Encoded {
  body: Buffer;
  encoding: '7bit' | 'quoted-printable' | 'base64' | null;
}

/**
 * Converts a message to seven-bit octets, which every server accepts: text as quoted-printable, other content as base64, raw
 * text in headers as encoded words (RFC 2047) and parameters (RFC 2231). Decoded, each part is the same. Null where that is
 * impossible: an address or an id that is not ASCII, a part that the sender signed (RFC 1847 §2.1), a wrong declaration of
 * the encoding. Linear.
 */
export function toSevenBit(message: Buffer): Buffer | null {
  return convert(message, { depth: 0, kind: 'message' });
}

function convert(entity: Buffer, place: EntityPosition): Buffer | null {
  if (isAscii(entity)) return entity;
  const head = place.depth > MAX_DEPTH ? null : readMessageHead(entity);
  if (head === null || 'problem' in head) return null;
  const { fields, bodyOffset } = head;
  const body = entity.subarray(bodyOffset);
  const encoded = encode(body, fields, place);
  const kept = encoded === null ? null : convertFields(entity, fields, encoded.encoding !== null);
  if (encoded === null || kept === null) return null;
  const added =
    encoded.encoding === null
      ? ''
      : `${mimeFields(body, fields, place)}Content-Transfer-Encoding: ${encoded.encoding}\r\n`;
  return Buffer.concat([...kept, Buffer.from(`${added}\r\n`), encoded.body]);
}

/** `reencoded` drops the previous transfer encoding. */
function convertFields(entity: Buffer, fields: HeaderField[], reencoded: boolean): Buffer[] | null {
  const lines: Buffer[] = [];
  for (const field of fields) {
    if (reencoded && field.key === ENCODING) continue;
    const octets = entity.subarray(field.start, field.end);
    const line = isAscii(octets) ? octets : encodeField(field, octets);
    if (line === null) return null;
    lines.push(line);
  }
  return lines;
}

function encode(body: Buffer, fields: HeaderField[], place: EntityPosition): Encoded | null {
  if (isAscii(body)) return { body, encoding: null };
  const type = readStructuredValue(valueOf(fields, 'content-type') ?? DEFAULT_TYPE[place.kind]);
  if (type.value.startsWith('multipart/')) return encodeParts(body, type, place.depth);
  if (type.value === 'message/rfc822') {
    const inner = convert(body, { depth: place.depth + 1, kind: 'message' });
    return inner === null ? null : { body: inner, encoding: '7bit' };
  }
  const declared = valueOf(fields, ENCODING)?.toLowerCase() ?? '7bit';
  // RFC 2046 §5.2: other message types must not be encoded. And encoded content should not have such octets.
  if (type.value.startsWith('message/') || !['7bit', '8bit', 'binary'].includes(declared)) return null;
  if (type.value.startsWith('text/') || !type.value.includes('/'))
    return { body: quotedPrintable(body), encoding: 'quoted-printable' };
  return { body: Buffer.concat([base64Lines(body), Buffer.from('\r\n')]), encoding: 'base64' };
}

/** RFC 2045 §5.2, RFC 2046 §5.1.5. */
const DEFAULT_TYPE: Record<EntityPosition['kind'], string> = {
  message: 'text/plain',
  part: 'text/plain',
  'digest part': 'message/rfc822',
};

function encodeParts(body: Buffer, type: StructuredValue, depth: number): Encoded | null {
  const boundary = type.parameters.get('boundary');
  if (type.value === 'multipart/signed' || boundary === undefined || !isAscii(Buffer.from(boundary))) return null;
  const place: EntityPosition = { depth: depth + 1, kind: type.value === 'multipart/digest' ? 'digest part' : 'part' };
  const pieces: Buffer[] = [];
  for (const { kind, octets } of splitMultipart(body, boundary)) {
    // No reader shows the preamble and the epilogue.
    const piece = kind === 'part' ? convert(octets, place) : withoutHighBits(octets);
    if (piece === null) return null;
    pieces.push(piece);
  }
  return { body: Buffer.concat(pieces), encoding: '7bit' };
}

function withoutHighBits(octets: Buffer): Buffer {
  return isAscii(octets) ? octets : Buffer.from(octets.toString('latin1').replace(/[^\0-\x7f]/g, '?'), 'latin1');
}

/** The MIME fields that encoded text needs and the entity lacks; RFC 1428 §3 for an undeclared charset. */
function mimeFields(body: Buffer, fields: HeaderField[], { kind }: EntityPosition): string {
  const version = kind === 'message' && valueOf(fields, 'mime-version') === undefined ? 'MIME-Version: 1.0\r\n' : '';
  if (kind === 'digest part' || valueOf(fields, 'content-type') !== undefined) return version;
  return `${version}Content-Type: text/plain; charset=${isUtf8(body) ? 'utf-8' : 'unknown-8bit'}\r\n`;
}

function encodeField({ name, key, value }: HeaderField, octets: Buffer): Buffer | null {
  if (TRACE.test(key)) return withoutHighBits(octets);
  if (!PARAMETERS.has(key) && !isStructured(key)) return Buffer.from(textField(name, decodeEncodedWords(value)));
  const encoded = PARAMETERS.has(key) ? encodeParameters(key, value) : encodePhrases(key, value, ENCODED_TEXT);
  return encoded === null ? null : Buffer.from(foldedField(name, encoded));
}

function valueOf(fields: HeaderField[], key: string): string | undefined {
  return fields.find((field) => field.key === key)?.value;
}
