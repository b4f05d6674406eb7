import { Injectable } from '@nestjs/common';
import { isId } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { presentFile, type AttachmentView } from '../email-queries.js';
import type { StoredContent } from '../ledger/delivery-job.js';
import { AttachmentLinks, type LinkedFile } from './attachment-links.js';
import { readContent, type MailFile } from './mail-content.js';

/** A file of a mail, with a link from which it can be loaded for an hour. */
export interface LinkedAttachmentView extends AttachmentView {
  object: 'attachment';
  download_url: string;
  expires_at: string;
}

/** The files of a mail, as long as its body is kept. */
@Injectable()
export class EmailAttachments {
  constructor(
    private readonly database: Database,
    private readonly links: AttachmentLinks,
  ) {}

  /** In the order of the mail; empty once its body is no longer kept. Null: the account has no such mail. */
  async list(accountId: string, emailId: string): Promise<LinkedAttachmentView[] | null> {
    const files = await this.files(accountId, emailId);
    return files && files.map((file) => this.present(accountId, emailId, file));
  }

  async find(accountId: string, { emailId, attachmentId }: LinkedFile): Promise<LinkedAttachmentView | null> {
    const file = (await this.files(accountId, emailId))?.find(({ id }) => id === attachmentId);
    return file ? this.present(accountId, emailId, file) : null;
  }

  /** What the link opens; null for a token that is not, or no longer, good for this file. */
  async download(token: string, linked: LinkedFile): Promise<{ filename: string; content: Buffer } | null> {
    const accountId = this.links.read(token, linked);
    if (accountId === null) return null;
    return (await this.files(accountId, linked.emailId))?.find(({ id }) => id === linked.attachmentId) ?? null;
  }

  private async files(accountId: string, emailId: string): Promise<MailFile[] | null> {
    if (!isId('em', emailId)) return null;
    const { rows } = await this.database.query<StoredContent | { format: null; body: null }>(
      `SELECT c.format, c.body FROM emails e LEFT JOIN email_contents c ON c.email_id = e.id
        WHERE e.id = $1 AND e.account_id = $2`,
      [emailId, accountId],
    );
    if (rows.length === 0) return null;
    return rows[0].format === null ? [] : readContent(emailId, rows[0]).files;
  }

  private present(accountId: string, emailId: string, file: MailFile): LinkedAttachmentView {
    const { url, expiresAt } = this.links.make(accountId, { emailId, attachmentId: file.id });
    return { object: 'attachment', ...presentFile(file), download_url: url, expires_at: expiresAt.toISOString() };
  }
}
