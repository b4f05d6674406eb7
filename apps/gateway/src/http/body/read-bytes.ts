import type { Readable } from 'node:stream';
import { Refusal } from '#libs/contracts';
import { concatYielding } from '#libs/kernel';
import { bodyTooLarge, type BodyLimits } from './body-limits.js';

type SizeLimit = Pick<BodyLimits, 'bytes' | 'tooLarge'>;

/**
 * All bytes of a body. Bytes beyond the limit are read and discarded, because many clients read the response only after
 * they have sent everything. At twice the limit reading stops.
 * @throws Refusal `message_too_large`
 */
export async function readBytes(payload: Readable, limit: SizeLimit): Promise<Buffer> {
  return concatYielding(await chunksOf(payload, limit));
}

function chunksOf(payload: Readable, size: SizeLimit): Promise<Buffer[]> {
  const limit = size.bytes;
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limit) chunks.push(chunk);
      else chunks = [];
      if (bytes > 2 * limit) complete();
    };
    const complete = () =>
      end(() => {
        if (bytes <= limit) resolve(chunks);
        else reject(bodyTooLarge(size));
      });
    // The client has disconnected; a refusal keeps this from being logged as an internal error.
    const broken = () => end(() => reject(new Refusal('validation_error', [], 'The body did not arrive as a whole.')));
    const end = (settle: () => void) => {
      payload.off('data', take).off('end', complete).off('error', broken).off('close', broken);
      // Without a listener, a later error of the stream would end the process.
      payload.on('error', () => undefined);
      settle();
    };
    payload.on('data', take).once('end', complete).once('error', broken).once('close', broken);
  });
}
