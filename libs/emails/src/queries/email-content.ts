import { createHash } from 'node:crypto';
import { readParts } from '#libs/mime';
import { decodeParts } from '../message/stored-parts.js';
import type { StoredContent } from '../message/delivery-job.js';

export interface StoredAttachment {
  id: string;
  filename: string;
  contentType: string;
  disposition: 'attachment' | 'inline';
  contentId: string | null;
  content: Buffer;
}

/** The stored content of an email, as submitted. */
export interface EmailContent {
  html: string | null;
  text: string | null;
  /** Custom headers; empty for relayed messages, where they are part of the message. */
  headers: Record<string, string>;
  attachments: StoredAttachment[];
}

export function readContent(emailId: string, { format, body }: StoredContent): EmailContent {
  if (format === 'mime') {
    const { html, text, attachments } = readParts(body);
    return {
      html: html ?? null,
      text: text ?? null,
      headers: {},
      attachments: attachments.map((attachment, i) => ({
        ...toAttachment(emailId, i, attachment),
        disposition: attachment.attached || attachment.contentId === undefined ? 'attachment' : 'inline',
      })),
    };
  }
  const { html, text, headers, attachments } = decodeParts(body);
  return {
    html: html ?? null,
    text: text ?? null,
    headers: Object.fromEntries(headers),
    attachments: attachments.map((attachment, i) => ({
      ...toAttachment(emailId, i, attachment),
      disposition: attachment.contentId === undefined ? 'attachment' : 'inline',
    })),
  };
}

const toAttachment = (
  emailId: string,
  place: number,
  attachment: { filename: string; contentType: string; contentId?: string; content: Buffer },
) => ({
  id: attachmentId(emailId, place),
  filename: attachment.filename,
  contentType: attachment.contentType,
  contentId: attachment.contentId ?? null,
  content: attachment.content,
});

/** Attachments have no rows. Their ids are derived from the email and their position, so they are stable. */
const attachmentId = (emailId: string, place: number): string =>
  `att_${createHash('sha256').update(`${emailId} ${place}`).digest('hex').slice(0, 32)}`;

/** Only this part of the HTML is searched. */
const SEARCHED_CHARACTERS = 256 * 1024;
/** No `<` within a tag and a bounded length keep the search linear for any text. */
const ANCHOR = /<a\s[^<>]{0,2000}?\bhref\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>]+))/gi;

/** The target of the first web link in the HTML, or null. */
export function firstLink({ format, body }: StoredContent): string | null {
  const html = (format === 'mime' ? readParts(body).html : decodeParts(body).html) ?? '';
  return webLinks(html).next().value ?? null;
}

/** A web address in plain text, up to a character that cannot be part of it. */
const ADDRESS_IN_TEXT = /\bhttps?:\/\/[^\s"'<>]{1,2000}/gi;

/** All web links of the HTML, or of the text of a message without HTML; each once, in their order. */
export function linksOf({ html, text }: Pick<EmailContent, 'html' | 'text'>): string[] {
  if (html !== null) return [...new Set(webLinks(html))];
  const found = (text ?? '').slice(0, SEARCHED_CHARACTERS).match(ADDRESS_IN_TEXT) ?? [];
  return [...new Set(found.map(withoutPunctuation))];
}

/** Without the marks that end the sentence around it. */
function withoutPunctuation(url: string): string {
  let end = url.length;
  while ('.,;:!?)]'.includes(url[end - 1])) end -= 1;
  return url.slice(0, end);
}

function* webLinks(html: string): Generator<string, undefined> {
  for (const [, quoted, single, bare] of html.slice(0, SEARCHED_CHARACTERS).matchAll(ANCHOR)) {
    const target = (quoted ?? single ?? bare).replaceAll('&amp;', '&').trim();
    if (/^https?:\/\//i.test(target)) yield target;
  }
}
