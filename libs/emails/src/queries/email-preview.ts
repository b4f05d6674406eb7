import { Injectable } from '@nestjs/common';
import { isId, type Visibility } from '#libs/contracts';
import { Database } from '#libs/persistence';
import type { StoredContent } from '../message/delivery-job.js';
import { readContent, type StoredAttachment } from './email-content.js';
import { READABLE_CONTENT, visibilityValues, visibleEmails } from './visible-emails.js';

/** Limit of the images that a preview contains, in bytes before Base64: a message may show one image many times. */
const IMAGE_BYTES = 20 * 1024 * 1024;
/** A `cid:` URL (RFC 2392) up to the end of its attribute or CSS function. */
const CID = /\bcid:([^"'\s()<>]{1,998})/gi;
/** Start tags that reach foreign hosts past the policy of the document, and the elements that are shown instead. */
const CONNECTING = /<(link|iframe)(?=[\s/>])/gi;
const HARMLESS: Record<string, string> = { link: '<meta', iframe: '<span' };

/** The HTML of an email for a browser. */
@Injectable()
export class EmailPreview {
  constructor(private readonly database: Database) {}

  /**
   * The HTML body with its embedded images as `data:` URLs. Null if the account has no such email, or no HTML of it. The
   * HTML is untrusted: it must be shown as a document without scripts, forms and remote content.
   */
  async html(visibility: Visibility, emailId: string): Promise<string | null> {
    if (!isId('em', emailId)) return null;
    const { rows } = await this.database.query<StoredContent>(
      `SELECT c.format, c.body FROM emails e JOIN email_contents c ON c.email_id = e.id
        WHERE e.id = $1 AND ${READABLE_CONTENT} AND ${visibleEmails(2)}`,
      [emailId, ...visibilityValues(visibility)],
    );
    if (rows.length === 0) return null;
    const { html, attachments } = readContent(emailId, rows[0]);
    return html && embedImages(rewriteConnections(html), attachments);
  }
}

/**
 * Renames the elements that no Content-Security-Policy governs: hints to connect to a host (`<link rel=preconnect>`), and
 * frames, whose `srcdoc` contains a document with encoded markup, such as hints.
 */
export function rewriteConnections(html: string): string {
  return html.replaceAll(CONNECTING, (_tag, name: string) => HARMLESS[name.toLowerCase()]);
}

/** Replaces `cid:` URLs by the images of the message, up to a limit; exported for tests. */
export function embedImages(
  html: string,
  attachments: readonly Pick<StoredAttachment, 'contentId' | 'contentType' | 'content'>[],
  limit = IMAGE_BYTES,
): string {
  const images = new Map(
    attachments
      .filter(({ contentId, contentType }) => contentId !== null && /^image\/[\w.+-]+$/i.test(contentType))
      .map((image) => [image.contentId, image]),
  );
  let left = limit;
  return html.replaceAll(CID, (url: string, id: string) => {
    const image = images.get(id) ?? images.get(decoded(id));
    if (!image || image.content.length > left) return url;
    left -= image.content.length;
    return `data:${image.contentType};base64,${image.content.toString('base64')}`;
  });
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
