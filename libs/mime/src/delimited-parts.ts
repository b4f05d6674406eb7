import { delimiterLine, lineEndBefore } from './delimiter-line.js';

/** Bounds the work on bodies that are full of things that look like a boundary. */
const MAX_LOOKALIKES = 20_000;

/** One walk over a message, whatever its depth. */
export interface PartWalk {
  lookalikes: number;
  /** There is more than was walked over. */
  truncated: boolean;
}

/** The stretches between the delimiter lines of RFC 2046 §5.1.1; without a closing line the last one reaches to the end. */
export function* delimitedParts(walk: PartWalk, body: Buffer, boundary: string): Generator<Buffer> {
  const delimiter = Buffer.from(`--${boundary}`);
  let partFrom = -1;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    const line = delimiterLine(body, at, delimiter.length);
    if (line === null) {
      walk.lookalikes += 1;
      if (walk.lookalikes > MAX_LOOKALIKES) {
        walk.truncated = true;
        break;
      }
      continue;
    }
    if (partFrom >= 0) yield body.subarray(partFrom, Math.max(partFrom, lineEndBefore(body, at)));
    if (walk.truncated) return;
    partFrom = line.closing ? -1 : line.end;
    if (line.closing) break;
  }
  if (partFrom >= 0) yield body.subarray(partFrom);
}
