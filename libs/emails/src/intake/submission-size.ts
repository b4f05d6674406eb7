import { LIMITS, Refusal } from '#libs/contracts';
import type { Submission } from './submission.js';

/**
 * Bytes of a mail as the limit counts them (details §3): decoded files + html + text + subject + names and values of
 * custom headers. Over SMTP the raw bytes.
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

/** The refusal of a mail that is larger, wherever that is noticed. */
export const mailTooLarge = (): Refusal =>
  new Refusal('message_too_large', [
    { field: '', code: 'too_large', message: `must have at most ${LIMITS.messageBytes} bytes in all` },
  ]);
