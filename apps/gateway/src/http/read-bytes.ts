import type { Readable } from 'node:stream';
import { Refusal } from '#libs/contracts';
import { joinInTurns } from '#libs/kernel';
import { bodyTooLarge, type BodyLimits } from './body-limits.js';

type SizeLimit = Pick<BodyLimits, 'bytes' | 'tooLarge'>;

/**
 * All bytes of a body. What is beyond the limit is thrown away as it comes: a client reads the answer when it has sent
 * all, and one that is cut off before never sees it. At twice the limit that ends.
 * @throws Refusal `message_too_large`.
 */
export async function readBytes(payload: Readable, limit: SizeLimit): Promise<Buffer> {
  return joinInTurns(await chunksOf(payload, limit));
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
    // Nobody is left to read the answer; it must not look like a fault of ours.
    const broken = () => end(() => reject(new Refusal('validation_error', [], 'The body did not arrive as a whole.')));
    const end = (settle: () => void) => {
      payload.off('data', take).off('end', complete).off('error', broken).off('close', broken);
      // A stream that fails later would end the process without a listener.
      payload.on('error', () => undefined);
      settle();
    };
    payload.on('data', take).once('end', complete).once('error', broken).once('close', broken);
  });
}
