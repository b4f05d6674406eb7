import { Injectable } from '@nestjs/common';
import { isId, wholeAccount, type Visibility } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { StoredContents } from '../message/content/stored-contents.js';
import type { AttachmentView, LinkedAttachmentView } from '../email.resource.js';
import { toAttachmentView } from './email-queries.js';
import { AttachmentLinks, type AttachmentRef } from './attachment-links.js';
import { readContent, type StoredAttachment } from './email-content.js';
import { storedContentsOf } from './stored-content.js';

/** The attachments of an email, as long as its content is stored. */
@Injectable()
export class EmailAttachments {
  constructor(
    private readonly database: Database,
    private readonly links: AttachmentLinks,
    private readonly contents: StoredContents,
  ) {}

  /** In the order of the message; empty once the content is deleted. Null if no such email is readable. */
  async list(visibility: Visibility, emailId: string): Promise<LinkedAttachmentView[] | null> {
    const attachments = await this.files(visibility, emailId);
    return attachments && attachments.map((attachment) => this.present(visibility.accountId, emailId, attachment));
  }

  async find(visibility: Visibility, { emailId, attachmentId }: AttachmentRef): Promise<LinkedAttachmentView | null> {
    const attachment = (await this.files(visibility, emailId))?.find(({ id }) => id === attachmentId);
    return attachment ? this.present(visibility.accountId, emailId, attachment) : null;
  }

  /** The attachment that the link opens; null if the token is invalid or expired. */
  async download(token: string, linked: AttachmentRef): Promise<{ filename: string; content: Buffer } | null> {
    const accountId = this.links.read(token, linked);
    if (accountId === null) return null;
    return (
      (await this.files(wholeAccount(accountId), linked.emailId))?.find(({ id }) => id === linked.attachmentId) ?? null
    );
  }

  /** Adds a download link to an attachment that the caller has read. */
  link(accountId: string, emailId: string, attachment: AttachmentView): LinkedAttachmentView {
    const { url, expiresAt } = this.links.make(accountId, { emailId, attachmentId: attachment.id });
    return {
      object: 'attachment',
      ...attachment,
      download_url: url,
      expires_at: expiresAt.toISOString(),
    };
  }

  private async files(visibility: Visibility, emailId: string): Promise<StoredAttachment[] | null> {
    if (!isId('em', emailId)) return null;
    const stored = (await storedContentsOf(this.database, this.contents, [visibility, [emailId]])).get(emailId);
    if (stored === undefined) return null;
    return stored === null ? [] : readContent(emailId, stored).attachments;
  }

  private present(accountId: string, emailId: string, attachment: StoredAttachment): LinkedAttachmentView {
    return this.link(accountId, emailId, toAttachmentView(attachment));
  }
}
