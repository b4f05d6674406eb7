import { joinInTurns } from '#libs/kernel';
import type { SubmissionLines } from '#libs/mime';
import type { SMTPServerDataStream } from 'smtp-server';
import { SmtpReply } from './smtp-reply.js';

/** How the pieces of a message are taken as they come: between two of them others have their turn. */
export interface Reading {
  /** Octets that a message may have. */
  limit: number;
  /** What is kept of each piece; without it the pieces as they are. */
  lines?: SubmissionLines;
  /** Is told of each piece that is kept, in octets, and may refuse the message. */
  hold?: (octets: number) => SmtpReply | null;
}

/**
 * The whole message of a data phase. Of one that is refused, as beyond the limit, the rest is read and dropped, and the
 * client gets its reply after the final dot.
 *
 * By events: walking the stream with `for await` takes as long as reading the message.
 */
export function readMessage(stream: SMTPServerDataStream, reading: Reading): Promise<Buffer> {
  const { limit, lines, hold = () => null } = reading;
  const pieces: Buffer[] = [];
  let refusal: SmtpReply | null = null;
  const judge = (octets: number): SmtpReply | null =>
    stream.sizeExceeded ? new SmtpReply(552, `5.3.4 The message is larger than ${limit} bytes`) : hold(octets);
  return new Promise((resolve, reject) => {
    stream.on('data', (piece: Buffer) => {
      if (refusal) return;
      const kept = lines ? lines.take(piece) : piece;
      refusal = judge(kept.length);
      if (!refusal) return void pieces.push(kept);
      pieces.length = 0;
      reject(refusal);
    });
    const cut = (): void => reject(new SmtpReply(451, '4.4.2 The connection ended within the message'));
    stream.once('error', cut);
    stream.once('close', cut);
    stream.once('end', () => {
      // An error is made for each mail otherwise, and its stack costs more than the rest of this.
      stream.off('close', cut);
      const end = lines?.end();
      if (end && 'problem' in end) return reject(new SmtpReply(554, `5.6.0 The ${end.problem}`));
      if (end && end.length > 0) pieces.push(end);
      resolve(joinInTurns(pieces));
    });
  });
}
