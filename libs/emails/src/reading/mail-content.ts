import { createHash } from 'node:crypto';
import { readParts } from '#libs/mime';
import { decodeParts } from '../intake/stored-parts.js';
import type { StoredContent } from '../ledger/delivery-job.js';

export interface MailFile {
  id: string;
  filename: string;
  contentType: string;
  disposition: 'attachment' | 'inline';
  contentId: string | null;
  content: Buffer;
}

/** What is stored of a mail's body, as the sender wrote it. */
export interface MailContent {
  html: string | null;
  text: string | null;
  /** Custom headers; of relayed mail they are part of the message and not told apart. */
  headers: Record<string, string>;
  files: MailFile[];
}

export function readContent(emailId: string, { format, body }: StoredContent): MailContent {
  if (format === 'mime') {
    const { html, text, attachments } = readParts(body);
    return {
      html: html ?? null,
      text: text ?? null,
      headers: {},
      files: attachments.map((file, i) => ({
        ...fileOf(emailId, i, file),
        disposition: file.attached || file.contentId === undefined ? 'attachment' : 'inline',
      })),
    };
  }
  const { html, text, headers, attachments } = decodeParts(body);
  return {
    html: html ?? null,
    text: text ?? null,
    headers: Object.fromEntries(headers),
    files: attachments.map((file, i) => ({
      ...fileOf(emailId, i, file),
      disposition: file.contentId === undefined ? 'attachment' : 'inline',
    })),
  };
}

const fileOf = (
  emailId: string,
  place: number,
  file: { filename: string; contentType: string; contentId?: string; content: Buffer },
) => ({
  id: attachmentId(emailId, place),
  filename: file.filename,
  contentType: file.contentType,
  contentId: file.contentId ?? null,
  content: file.content,
});

/** Files have no rows of their own: their ids follow from the mail and their place in it, so they stay the same. */
const attachmentId = (emailId: string, place: number): string =>
  `att_${createHash('sha256').update(`${emailId} ${place}`).digest('hex').slice(0, 32)}`;
