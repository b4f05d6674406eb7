import { LIMITS, Refusal } from '#libs/contracts';
import type { Submission } from './submission.js';

/**
 * Size in bytes as counted by the limit: decoded attachments, HTML, text and subject in UTF-8, names and values of
 * custom headers. For SMTP, the bytes of the message.
 */
export function sizeOf({ content, subject }: Pick<Submission, 'content' | 'subject'>): number {
  if (content.format === 'mime') return content.message.length;
  const files = content.attachments.reduce((sum, file) => sum + file.content.length, 0);
  const headers = content.headers.reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  );
  return (
    files +
    headers +
    Buffer.byteLength(content.html ?? '') +
    Buffer.byteLength(content.text ?? '') +
    Buffer.byteLength(subject)
  );
}

export const messageTooLarge = (): Refusal =>
  new Refusal('message_too_large', [
    { field: '', code: 'too_large', message: `must have at most ${LIMITS.messageBytes} bytes in all` },
  ]);
