import type { Rule } from '#libs/contracts';
import { emailShapes, type NewEmail } from '#libs/emails';

/**
 * An attachment in the format of Resend. `filename: false` means no name. The content may be an array with one number per
 * byte (Go, Rust and Python clients) or a Buffer serialised as JSON (older Node.js clients). In a large body the parser has
 * already turned such an array into base64.
 */
export interface ResendAttachmentInput {
  filename?: string | false | null;
  content?: string | number[] | { type: 'Buffer'; data: string | number[] } | null;
  path?: string | null;
  content_type?: string | null;
  content_id?: string | null;
}

const nativeRule = emailShapes.newEmail.ruleOf('attachments');

/** The rule of the native API, but for a missing file name: one is generated. */
export const resendAttachmentsRule: Rule = (value) =>
  nativeRule(Array.isArray(value) ? value.map((entry) => named(toNative(entry))) : value);

const named = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && !Array.isArray(entry)
    ? { ...entry, filename: (entry as { filename?: unknown }).filename ?? 'attachment' }
    : entry;

/** The attachments of a validated value, as the native API takes them. */
export const toAttachments = (given: readonly ResendAttachmentInput[]): NewEmail['attachments'] =>
  given.map((entry) => toNative(entry) as NonNullable<NewEmail['attachments']>[number]);

function toNative(entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null) return entry;
  const { filename, content } = entry as ResendAttachmentInput;
  return { ...entry, ...(filename === false ? { filename: null } : {}), content: inBase64(content) };
}

/** The content as the native API takes it; anything else is returned unchanged and refused by its rule. */
function inBase64(content: unknown): unknown {
  const data = isBufferJson(content) ? content.data : content;
  if (typeof data === 'string') return data;
  return Array.isArray(data) && data.every(isByte) ? Buffer.from(data).toString('base64') : content;
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
