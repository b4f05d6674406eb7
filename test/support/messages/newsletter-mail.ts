import { encode, wrap } from 'nodemailer/lib/qp';
import { decodeTransferEncoding } from '#libs/mime';
import type { Newsletter } from './newsletters.js';

const BOUNDARY = '=_part_7f3a';
const DELIMITER = `--${BOUNDARY}`;
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const TEXT = `Content-Type: text/plain; charset=us-ascii\r\n\r\nNews at https://shop.example/text\r\n`;
const AMP = `Content-Type: text/x-amp-html; charset=us-ascii\r\n\r\n<!doctype html><html amp4email><body>\
<a href="https://shop.example/amp">AMP</a></body></html>\r\n`;
const IMAGE = `Content-Type: image/gif\r\nContent-Transfer-Encoding: base64\r\nContent-ID: <logo@shop.example>\r\n\r\n\
${PIXEL.toString('base64')}\r\n`;

/** The newsletter as a program hands it to the relay. */
export function newsletterMail(newsletter: Newsletter, head: readonly string[]): Buffer {
  const html = Buffer.concat([
    Buffer.from(
      `Content-Type: text/html; charset=${newsletter.charset}\r\nContent-Transfer-Encoding: ${newsletter.encoding}\r\n\r\n`,
    ),
    encoded(newsletter),
    Buffer.from('\r\n'),
  ]);
  const start = Buffer.from([...head, 'MIME-Version: 1.0', ''].join('\r\n'));
  if (newsletter.form === 'alone') return Buffer.concat([start, html]);
  const parts = { alternative: [TEXT, html], amp: [TEXT, AMP, html], related: [html, IMAGE] }[newsletter.form];
  const kind = newsletter.form === 'related' ? 'related' : 'alternative';
  return Buffer.concat([
    start,
    Buffer.from(`Content-Type: multipart/${kind}; boundary="${BOUNDARY}"\r\n\r\n`),
    ...parts.flatMap((part) => [Buffer.from(`${DELIMITER}\r\n`), Buffer.from(part)]),
    Buffer.from(`${DELIMITER}--\r\n`),
  ]);
}

/** The pieces of such a mail between its delimiters. */
export interface MailPieces {
  /** Everything but the content of the HTML part. */
  others: string[];
  /** Header fields of the HTML part; of the whole message if it is alone. */
  head: string[];
  html: Buffer;
}

/** Each character of text is an octet. */
export function piecesOf(mail: Buffer): MailPieces {
  const pieces = mail.toString('latin1').split(DELIMITER);
  const at = pieces.length === 1 ? 0 : pieces.findIndex((piece) => piece.startsWith('\r\nContent-Type: text/html'));
  const end = pieces[at].indexOf('\r\n\r\n');
  const head = pieces[at].slice(0, end).replace(/^\r\n/, '').split('\r\n');
  const encoding = /^Content-Transfer-Encoding: (\S+)/im.exec(pieces[at].slice(0, end))?.[1] ?? '';
  const content = Buffer.from(pieces[at].slice(end + 4), 'latin1');
  return {
    // Of a multipart message, the fields before the first delimiter are compared by the caller.
    others: pieces.slice(1).filter((_, index) => index + 1 !== at),
    head,
    html: decodeTransferEncoding(content, encoding.toLowerCase()),
  };
}

/** Addresses of links that a rewriting replaced, with their new address. */
export interface ReplacedLink {
  /** As it stands in the source. */
  from: string;
  to: string;
}

/**
 * The replaced links of a document, given that nothing else was changed.
 * @throws Error if any other octet was
 */
export function replacedLinks(before: Buffer, after: Buffer): ReplacedLink[] {
  const pixel = /<img src="[^"]*\/t\/o\/[^>]*>/g;
  const text = after.toString('latin1');
  if (text.match(pixel)?.length !== 1) throw new Error('not exactly one pixel');
  const original = before.toString('latin1');
  const [first, ...rest] = text.replace(pixel, '').split(/(https?:\/\/[^"'\s>/]+\/t\/c\/[\w-]+)/);
  if (!original.startsWith(first)) throw new Error('the start was changed');
  const links: ReplacedLink[] = [];
  let at = first.length;
  for (let i = 0; i < rest.length; i += 2) {
    const [to, segment] = [rest[i], rest[i + 1]];
    const isLast = i + 2 === rest.length;
    const end = isLast ? original.length - segment.length : original.indexOf(segment, at);
    if (end < at || !original.startsWith(segment, end)) throw new Error(`changed behind ${original.slice(0, at)}`);
    links.push({ from: original.slice(at, end), to });
    at = end + segment.length;
  }
  if (at !== original.length) throw new Error('the end was changed');
  return links;
}

function encoded({ encoding, html }: Newsletter): Buffer {
  switch (encoding) {
    case '8bit':
      return html;
    case 'base64':
      return Buffer.from(html.toString('base64').replace(/.{76}(?=.)/g, '$&\r\n'));
    case 'quoted-printable':
      return Buffer.from(wrap(encode(html)));
  }
}
