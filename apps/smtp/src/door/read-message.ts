import type { SMTPServerDataStream } from 'smtp-server';
import { SmtpReply } from './smtp-reply.js';

/** The whole message of a data phase. By events: walking the stream with `for await` takes as long as reading the message. */
export function readMessage(stream: SMTPServerDataStream, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => {
      // Beyond the limit the rest is read and dropped: the client gets its 552 after the final dot.
      if (stream.sizeExceeded) chunks.length = 0;
      else chunks.push(chunk);
    });
    stream.once('end', () => {
      if (!stream.sizeExceeded) resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
      else reject(new SmtpReply(552, `5.3.4 The message is larger than ${limit} bytes`));
    });
    stream.once('error', reject);
    // After the end it is settled, and this changes nothing.
    stream.once('close', () => reject(new SmtpReply(451, '4.4.2 The connection ended within the message')));
  });
}
