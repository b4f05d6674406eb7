import type { SMTPServerDataStream } from 'smtp-server';
import { SmtpReply } from './smtp-reply.js';

/**
 * The whole message of a data phase. `hold` is told of each piece, in octets, and may refuse the message: then, as beyond
 * the limit, the rest is read and dropped, and the client gets its reply after the final dot.
 *
 * By events: walking the stream with `for await` takes as long as reading the message.
 */
export function readMessage(
  stream: SMTPServerDataStream,
  limit: number,
  hold: (octets: number) => SmtpReply | null = () => null,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let refusal: SmtpReply | null = null;
  const judge = (octets: number): SmtpReply | null =>
    stream.sizeExceeded ? new SmtpReply(552, `5.3.4 The message is larger than ${limit} bytes`) : hold(octets);
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => {
      if (refusal) return;
      refusal = judge(chunk.length);
      if (!refusal) return void chunks.push(chunk);
      chunks.length = 0;
      reject(refusal);
    });
    const cut = (): void => reject(new SmtpReply(451, '4.4.2 The connection ended within the message'));
    stream.once('error', cut);
    stream.once('close', cut);
    stream.once('end', () => {
      // An error is made for each mail otherwise, and its stack costs more than the rest of this.
      stream.off('close', cut);
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    });
  });
}
