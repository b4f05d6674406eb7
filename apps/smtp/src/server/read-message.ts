import type { SMTPServerDataStream } from 'smtp-server';
import type { LineEndNormaliser } from '#libs/mime';
import { yielding } from '#libs/kernel';
import { SmtpReply } from './smtp-reply.js';

export interface ReadOptions {
  /** Largest size of the message in octets. */
  limit: number;
  /** Converts each chunk; without it chunks are kept as they are. */
  lines?: LineEndNormaliser;
  /** Called with the number of octets kept of each chunk; a reply refuses the message. */
  reserve?: (octets: number) => SmtpReply | null;
}

/**
 * Reads the message of a data phase. The rest of a message that is refused, for example for its size, is read and dropped:
 * the client gets its reply after the final dot.
 *
 * By events, because iterating the stream with `for await` takes as long again as reading the message.
 */
export function readMessage(stream: SMTPServerDataStream, options: ReadOptions): Promise<Buffer> {
  const { limit, lines, reserve = () => null } = options;
  const chunks: Buffer[] = [];
  let refusal: SmtpReply | null = null;
  const refusalOf = (octets: number): SmtpReply | null =>
    stream.sizeExceeded ? new SmtpReply(552, `5.3.4 The message is larger than ${limit} bytes`) : reserve(octets);
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => {
      if (refusal) return;
      const kept = lines ? lines.push(chunk) : chunk;
      refusal = refusalOf(kept.length);
      if (!refusal) return void chunks.push(kept);
      chunks.length = 0;
      reject(refusal);
    });
    const cut = (): void => reject(new SmtpReply(451, '4.4.2 The connection ended within the message'));
    stream.once('error', cut);
    stream.once('close', cut);
    stream.once('end', () => {
      // Otherwise an error is created for each message, and its stack trace costs more than all the rest here.
      stream.off('close', cut);
      const end = lines?.finish();
      if (end && 'problem' in end) return reject(new SmtpReply(554, `5.6.0 The ${end.problem}`));
      if (end && end.length > 0) chunks.push(end);
      resolve(yielding.concat(chunks));
    });
  });
}
