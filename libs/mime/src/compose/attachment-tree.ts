import MailComposer from 'nodemailer/lib/mail-composer';
import type { MessageAttachment } from './message-parts.js';
import type { MimeTree } from './text-tree.js';
import { UnsendableMessage } from './message-parts.js';
import { toSevenBit } from './to-seven-bit.js';

/*
 * The MIME tree of a mail with files, built by nodemailer: mixed, alternative and related parts, file names in the encodings
 * of old and new readers. Nodemailer is never given an object of the caller, because `path`, `href` and `raw` read files and
 * URLs, but only values that were checked to be strings and buffers.
 */

const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const MEDIA_TYPE = /^[A-Za-z0-9!#$&^_.+-]{1,127}\/[A-Za-z0-9!#$&^_.+-]{1,127}(?:;[\x20-\x7e]{0,200})?$/;
const CONTENT_ID = /^[!-9;=?A-~@]{1,250}$/;

/** Text and HTML with CRLF line ends ('' if there is none), the files, and the prefix of all boundaries. */
interface TreeParts {
  text: string;
  html: string;
  attachments: MessageAttachment[];
  boundary: string;
}

/** @throws UnsendableMessage for a file that cannot be sent as an encoded part. */
export async function attachmentTree(parts: TreeParts): Promise<MimeTree> {
  const attachments = parts.attachments.map(checkAttachment);
  let built = await build(parts, attachments, false);
  // Mbox stores change a line that begins with `From `, careless relays a lone dot; either breaks a signature.
  if (built.includes('\r\nFrom ') || built.includes('\r\n.\r\n')) built = await build(parts, attachments, true);
  const bodyAt = built.indexOf('\r\n\r\n');
  const fields = built.toString('latin1', 0, bodyAt).split(/\r\n(?![ \t])/);
  const content = fields.filter((field) => /^content-/i.test(field)).map((field) => `${field}\r\n`);
  return { fields: content.join(''), body: built.subarray(bodyAt + 4) };
}

function build(
  parts: TreeParts,
  attachments: ReturnType<typeof checkAttachment>[],
  encodeAll: boolean,
): Promise<Buffer> {
  const { text, html } = parts;
  const composer = new MailComposer({
    messageId: '<not.used@invalid>', // otherwise one is generated at random, and dropped
    ...(text === '' ? {} : { text: { content: text, contentTransferEncoding: transferEncoding(text, encodeAll) } }),
    ...(html === '' ? {} : { html: { content: html, contentTransferEncoding: transferEncoding(html, encodeAll) } }),
    attachments,
    boundaryPrefix: '=_',
    baseBoundary: parts.boundary,
    newline: '\r\n',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** Overrides the choice of nodemailer (7bit, else by script) for text that relays may change; undefined keeps it. */
function transferEncoding(text: string, encodeAll: boolean): string | undefined {
  if (encodeAll) return 'base64';
  const spaceAtLineEnd = text.includes(' \r\n') || text.includes('\t\r\n') || text.endsWith(' ') || text.endsWith('\t');
  return spaceAtLineEnd ? 'quoted-printable' : undefined;
}

function checkAttachment({ filename, contentType, contentId, content }: MessageAttachment, index: number) {
  const refuse = (member: string, reason: string) => new UnsendableMessage(`attachments[${index}].${member}`, reason);
  if (typeof filename !== 'string' || CONTROL.test(filename)) throw refuse('filename', 'must be text without controls');
  if (typeof contentType !== 'string' || !MEDIA_TYPE.test(contentType)) throw refuse('contentType', 'is no media type');
  // Must not be encoded (RFC 2046 §5.1, §5.2.1), so their lines would become lines of our message.
  if (/^(?:multipart|message)\/(?!rfc822$)/i.test(contentType))
    throw refuse('contentType', 'must not be a part of a message or a multipart');
  if (contentId !== undefined && (typeof contentId !== 'string' || !CONTENT_ID.test(contentId))) {
    throw refuse('contentId', 'is no content id');
  }
  if (!Buffer.isBuffer(content)) throw refuse('content', 'must be bytes');
  const encoded = encodedContent(contentType, content);
  if (encoded === null) throw refuse('content', 'cannot be sent in 7 bits');
  return { filename, contentType, ...encoded, ...(contentId ? { cid: contentId } : {}) };
}

/** The content for nodemailer; null for a message that needs eight bits. */
function encodedContent(
  contentType: string,
  content: Buffer,
): { content: Buffer; contentTransferEncoding: '7bit' | 'base64' } | null {
  if (!/^message\/rfc822$/i.test(contentType)) return { content, contentTransferEncoding: 'base64' };
  const message = toSevenBit(withCrLf(content));
  return message === null ? null : { content: message, contentTransferEncoding: '7bit' };
}

/** A stored message may have the line ends of its system. */
const withCrLf = (message: Buffer): Buffer =>
  Buffer.from(message.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1');
