import { attachmentProblems, attachmentsFrom, type Attachment, type Rule } from '#libs/emails';

/** An attachment as these clients write it: `false` says that it has no name. */
export interface ResendAttachmentInput {
  filename?: string | false | null;
  content?: string | null;
  path?: string | null;
  content_type?: string | null;
  content_id?: string | null;
}

/** A name is made up for files that have none. */
export const resendAttachmentsRule: Rule = (value) =>
  attachmentProblems(Array.isArray(value) ? value.map(withoutFalse) : value, { filename: 'optional' });

/** Of a value that its rule has passed. */
export const resendAttachments = (given: readonly ResendAttachmentInput[] = []): Attachment[] =>
  attachmentsFrom(given.map((entry) => ({ ...entry, filename: entry.filename || null })));

function withoutFalse(entry: unknown): unknown {
  const isUnnamed = typeof entry === 'object' && entry !== null && 'filename' in entry && entry.filename === false;
  return isUnnamed ? { ...entry, filename: null } : entry;
}
