import type { Readable } from 'node:stream';
import { Refusal } from '#libs/contracts';
import { ChunkList, yielding } from '#libs/kernel';
import { bodyTooLarge, type SizeLimit } from './body-limits.js';

/** Consumes the chunks of a body within its size limit. */
interface Sink {
  /** A refusal ends the body. */
  keep: (chunk: Buffer) => Refusal | null;
  /** The body is too large: what was kept is discarded. */
  drop: () => void;
}

/** Counts the bytes of a body that are kept in memory. */
export interface Reserve {
  /** A refusal ends the body. */
  take: (bytes: number) => Refusal | null;
  release: () => void;
}

/**
 * All bytes of a body. Bytes beyond the limit are read and discarded, because many clients read the response only after
 * they have sent everything. At twice the limit reading stops.
 * @throws Refusal for the size, or that of `reserve`
 */
export async function readBytes(payload: Readable, limit: SizeLimit, reserve?: Reserve): Promise<Buffer> {
  let chunks = new ChunkList();
  await consume(payload, limit, {
    keep: (chunk) => {
      chunks.push(chunk);
      return reserve?.take(chunk.length) ?? null;
    },
    drop: () => {
      chunks = new ChunkList();
      reserve?.release();
    },
  });
  return yielding.concat(chunks.take());
}

/** Reads a body that is ignored, without keeping it. @throws Refusal for the size */
export function discardBytes(payload: Readable, limit: SizeLimit): Promise<void> {
  return consume(payload, limit, { keep: () => null, drop: () => undefined });
}

function consume(payload: Readable, limit: SizeLimit, sink: Sink): Promise<void> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const take = (chunk: Buffer) => {
      const wasWithin = bytes <= limit.bytes;
      bytes += chunk.length;
      if (bytes > 2 * limit.bytes) complete();
      else if (bytes <= limit.bytes) refuse(sink.keep(chunk));
      else if (wasWithin) sink.drop();
    };
    const refuse = (refusal: Refusal | null) => {
      if (refusal !== null) end(() => reject(refusal));
    };
    const complete = () =>
      end(() => {
        if (bytes <= limit.bytes) resolve();
        else reject(bodyTooLarge(limit));
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
