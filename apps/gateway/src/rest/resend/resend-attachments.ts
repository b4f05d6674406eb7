import { attachmentProblems, attachmentsFrom, type Attachment, type Rule } from '#libs/emails';

/**
 * An attachment as these clients write it: `false` says that it has no name. Content may be one number for each byte: an
 * array of them from the client for Go and from users of the one for Python, a buffer as JSON shows it from older ones for
 * Node.js.
 */
export interface ResendAttachmentInput {
  filename?: string | false | null;
  content?: string | number[] | { type: 'Buffer'; data: number[] } | null;
  path?: string | null;
  content_type?: string | null;
  content_id?: string | null;
}

/** A name is made up for files that have none. */
export const resendAttachmentsRule: Rule = (value) =>
  attachmentProblems(Array.isArray(value) ? value.map(asOurs) : value, { filename: 'optional' });

/** Of a value that its rule has passed. */
export const resendAttachments = (given: readonly ResendAttachmentInput[] = []): Attachment[] =>
  attachmentsFrom(given.map((entry) => asOurs(entry) as OurInput));

type OurInput = NonNullable<Parameters<typeof attachmentsFrom>[0]>[number];

function asOurs(entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null) return entry;
  const { filename, content } = entry as ResendAttachmentInput;
  const bytes = bytesOf(content);
  return {
    ...entry,
    ...(filename === false ? { filename: null } : {}),
    ...(bytes === null ? {} : { content: Buffer.from(bytes).toString('base64') }),
  };
}

function bytesOf(content: unknown): number[] | null {
  const list = isBufferJson(content) ? content.data : content;
  return Array.isArray(list) && list.every(isByte) ? list : null;
}

const isByte = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;

function isBufferJson(content: unknown): content is { data: unknown } {
  return (
    typeof content === 'object' &&
    content !== null &&
    'type' in content &&
    content.type === 'Buffer' &&
    'data' in content
  );
}
