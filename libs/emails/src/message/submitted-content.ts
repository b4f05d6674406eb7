import type { FoundFile } from '#libs/mime';

export interface Attachment {
  /** As the recipient sees it, with extension. */
  filename: string;
  contentType: string;
  /** Present for an inline file that the HTML refers to by `cid:`. */
  contentId?: string;
  content: Buffer;
  /** URL to fetch the content from; until then `content` is empty. */
  path?: string;
}

/** Content submitted over REST as parts; the message is composed at the first attempt. */
export interface PartsContent {
  format: 'parts';
  html?: string;
  text?: string;
  headers: [name: string, value: string][];
  attachments: Attachment[];
}

/** Content submitted over SMTP: the message itself, normalised, without Bcc and control headers. */
export interface MimeContent {
  format: 'mime';
  message: Buffer;
  messageId: string;
  /** Files still to be checked; absent if an earlier message had the same. */
  files?: readonly FoundFile[];
}
