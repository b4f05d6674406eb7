import { isAscii, isUtf8 } from 'node:buffer';
import { charsetName } from '../parse/charsets.js';
import { splitMultipart } from '../parse/multipart.js';
import { readMessageHead, type HeaderField, type MessageHead } from '../parse/message-head.js';
import { readStructuredValue } from '../parse/structured-value.js';
import { decodeTransferEncoding } from '../parse/transfer-encoding.js';
import { base64Lines, quotedPrintable } from './encode-text.js';

const MAX_DEPTH = 20;
/** RFC 5321 §4.5.3.1.6, without the line end. */
const MAX_LINE = 998;
const ENCODING = 'content-transfer-encoding';
const KNOWN_ENCODINGS = new Set(['7bit', '8bit', 'binary', 'quoted-printable', 'base64']);
/** Containers whose content is signed or encrypted as it is (RFC 1847). */
const SEALED = new Set(['multipart/signed', 'multipart/encrypted']);
/**
 * Charsets in which the octets of markup mean themselves wherever they stand. ISO-2022, HZ, UTF-7, UTF-16 and UTF-32 do
 * not belong to them.
 */
const ASCII_COMPATIBLE =
  /^(?:utf-?8|us-ascii|ascii|(?:iso-8859|windows|cp)-?\d+(?:-[ei])?|latin-?\d+|koi8-[ru]|macintosh|gbk|gb2312|gb18030|big5(?:-hkscs)?|shift_?jis|euc-(?:jp|kr|tw)|ks_c_5601-1987|tis-620)$/;

/**
 * The new text of an HTML part. With `isUnicode` false, each character of `html` is one octet of another charset: characters
 * above U+007F must be passed through as they are.
 */
export type HtmlReplacement = (html: string, isUnicode: boolean) => Promise<string>;

/**
 * Replaces the text of the HTML parts that readers show as the body of a message with CRLF line ends. Attachments, forwarded
 * messages, signed and encrypted parts, and parts that cannot be decoded without doubt stay as they are; so does every octet
 * outside of a part that was replaced.
 */
export async function replaceHtml(message: Buffer, replacement: HtmlReplacement): Promise<Buffer> {
  return Buffer.concat(await entity(message, 0, replacement));
}

async function entity(octets: Buffer, depth: number, replacement: HtmlReplacement): Promise<Buffer[]> {
  const head = depth > MAX_DEPTH ? { problem: 'too deep' } : readMessageHead(octets);
  if ('problem' in head) return [octets];
  const type = readStructuredValue(valueOf(head.fields, 'content-type') ?? 'text/plain');
  if (type.value.startsWith('multipart/')) {
    const boundary = SEALED.has(type.value) ? undefined : type.parameters.get('boundary');
    return boundary === undefined ? [octets] : multipart(octets, { ...head, boundary, depth }, replacement);
  }
  const charset = charsetName(type.parameters.get('charset') ?? 'utf-8');
  if (type.value !== 'text/html' || isAttachment(head.fields) || !ASCII_COMPATIBLE.test(charset)) return [octets];
  return (await leaf(octets, { ...head, charset }, replacement)) ?? [octets];
}

async function multipart(
  octets: Buffer,
  { bodyOffset, boundary, depth }: MessageHead & { boundary: string; depth: number },
  replacement: HtmlReplacement,
): Promise<Buffer[]> {
  const pieces = [octets.subarray(0, bodyOffset)];
  for (const { kind, octets: piece } of splitMultipart(octets.subarray(bodyOffset), boundary))
    pieces.push(...(kind === 'part' ? await entity(piece, depth + 1, replacement) : [piece]));
  return pieces;
}

/** Null where the part stays as it is. */
async function leaf(
  octets: Buffer,
  head: MessageHead & { charset: string },
  replacement: HtmlReplacement,
): Promise<Buffer[] | null> {
  const encoding = valueOf(head.fields, ENCODING)?.toLowerCase() ?? '7bit';
  if (!KNOWN_ENCODINGS.has(encoding)) return null;
  const content = decodeTransferEncoding(octets.subarray(head.bodyOffset), encoding);
  const isUnicode = isAscii(content) || (head.charset === 'utf-8' && isUtf8(content));
  const html = content.toString(isUnicode ? 'utf8' : 'latin1');
  const replaced = await replacement(html, isUnicode);
  return replaced === html ? null : encoded(octets, head, Buffer.from(replaced, isUnicode ? 'utf8' : 'latin1'));
}

/** The part with a new text, in its transfer encoding; as quoted-printable where its lines became too long. */
function encoded(octets: Buffer, { fields, bodyOffset }: MessageHead, text: Buffer): Buffer[] {
  const head = octets.subarray(0, bodyOffset);
  switch (valueOf(fields, ENCODING)?.toLowerCase()) {
    case 'base64':
      return [head, base64Lines(text), ...(endsLine(octets) ? [Buffer.from('\r\n')] : [])];
    case 'quoted-printable':
      return [head, quotedPrintable(text)];
    default:
      if (!hasLongLine(text)) return [head, text];
      return [...headAs(octets, fields, 'quoted-printable'), quotedPrintable(text)];
  }
}

/** The header block with another transfer encoding, and the blank line. */
function headAs(octets: Buffer, fields: HeaderField[], encoding: string): Buffer[] {
  return [
    ...fields.filter(({ key }) => key !== ENCODING).map(({ start, end }) => octets.subarray(start, end)),
    Buffer.from(`Content-Transfer-Encoding: ${encoding}\r\n\r\n`),
  ];
}

function hasLongLine(text: Buffer): boolean {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\r\n', at);
    if ((end < 0 ? text.length : end) - at > MAX_LINE) return true;
    if (end < 0) break;
    at = end + 2;
  }
  return false;
}

const endsLine = (octets: Buffer): boolean => octets.subarray(-2).toString('latin1') === '\r\n';

function isAttachment(fields: HeaderField[]): boolean {
  return readStructuredValue(valueOf(fields, 'content-disposition') ?? '').value === 'attachment';
}

function valueOf(fields: HeaderField[], key: string): string | undefined {
  return fields.find((field) => field.key === key)?.value;
}
