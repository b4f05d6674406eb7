import { attachmentProblems, attachmentsFrom, type Attachment, type Rule } from '#libs/emails';

/**
 * An attachment as these clients write it: `false` says that it has no name; the client for Go sends its content as an
 * array of numbers, one for each byte, as do users of the one for Python.
 */
export interface ResendAttachmentInput {
  filename?: string | false | null;
  content?: string | number[] | null;
  path?: string | null;
  content_type?: string | null;
  content_id?: string | null;
}

/** A name is made up for files that have none. */
export const resendAttachmentsRule: Rule = (value) =>
  attachmentProblems(Array.isArray(value) ? value.map(asOurs) : value, { filename: 'optional' });

/** Of a value that its rule has passed. */
export const resendAttachments = (given: readonly ResendAttachmentInput[] = []): Attachment[] =>
  attachmentsFrom(
    given.map((entry) => ({ ...entry, filename: entry.filename || null, content: base64Of(entry.content) })),
  );

function asOurs(entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null) return entry;
  const { filename, content } = entry as ResendAttachmentInput;
  return {
    ...entry,
    ...(filename === false ? { filename: null } : {}),
    ...(isBytes(content) ? { content: base64Of(content) } : {}),
  };
}

function isBytes(content: unknown): content is number[] {
  return Array.isArray(content) && content.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255);
}

function base64Of(content: ResendAttachmentInput['content']): string | null | undefined {
  return Array.isArray(content) ? Buffer.from(content).toString('base64') : content;
}
