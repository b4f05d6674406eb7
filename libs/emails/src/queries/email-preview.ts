import { Injectable } from '@nestjs/common';
import { isId, type Visibility } from '#libs/contracts';
import { Database } from '#libs/persistence';
import type { StoredContent } from '../message/delivery-job.js';
import { storedMessage, type MessageHead } from '../message/message-builder.js';
import { safeHtml } from '../preview/safe-html.js';
import { StoredContents } from '../message/content/stored-contents.js';
import { readContent, type EmailContent, type StoredAttachment } from './email-content.js';
import { storedContentsOf } from './stored-content.js';

/** Limit of the images that a preview contains, in bytes before Base64: a message may show one image many times. */
const IMAGE_BYTES = 20 * 1024 * 1024;
/** A `cid:` URL (RFC 2392) up to the end of its attribute or CSS function. */
const CID = /\bcid:([^"'\s()<>]{1,998})/gi;
interface HeadRow {
  message_id: string;
  sender: string;
  header_to: string[];
  header_cc: string[];
  reply_to: string[];
  subject: string;
  released_at: Date;
}

/** The stored content of an email for a browser. */
@Injectable()
export class EmailPreview {
  constructor(
    private readonly database: Database,
    private readonly contents: StoredContents,
  ) {}

  /**
   * The HTML body without anything that runs or loads, with its embedded images as `data:` URLs. Null if the account has no
   * such email, or no HTML of it. It is nevertheless shown as a document without scripts, forms and remote content.
   */
  async html(visibility: Visibility, emailId: string): Promise<string | null> {
    const content = await this.content(visibility, emailId);
    return content?.html ? embedImages(await safeHtml(content.html), content.attachments) : null;
  }

  /** The stored content; null if the account has no such email, or its content is not kept. */
  async content(visibility: Visibility, emailId: string): Promise<EmailContent | null> {
    const stored = await this.stored(visibility, emailId);
    return stored && readContent(emailId, stored);
  }

  /**
   * The message as stored, as one text of header fields and body: without the signatures, links and fields that delivery
   * adds for a recipient. Null as for `content`.
   */
  async source(visibility: Visibility, emailId: string): Promise<Buffer | null> {
    const stored = await this.stored(visibility, emailId);
    if (stored === null) return null;
    const { rows } = await this.database.query<HeadRow>(
      `SELECT message_id, sender, header_to, header_cc, reply_to, subject, COALESCE(scheduled_at, created_at) AS released_at
         FROM emails WHERE id = $1`,
      [emailId],
    );
    return rows.length === 0 ? null : storedMessage(headOf(emailId, rows[0]), stored);
  }

  private async stored(visibility: Visibility, emailId: string): Promise<StoredContent | null> {
    if (!isId('em', emailId)) return null;
    return (await storedContentsOf(this.database, this.contents, [visibility, [emailId]])).get(emailId) ?? null;
  }
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
    const image = images.get(id) ?? images.get(decoded(id.replaceAll('&amp;', '&')));
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

const headOf = (id: string, row: HeadRow): MessageHead => ({
  id,
  messageId: row.message_id,
  releasedAt: row.released_at,
  sender: row.sender,
  to: row.header_to,
  cc: row.header_cc,
  replyTo: row.reply_to,
  subject: row.subject,
});
