const LF = 0x0a;
const CR = 0x0d;
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
    const line = readDelimiterLine(body, at, delimiter.length);
    if (line === undefined) {
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

/** Undefined where the match is inside a line or the line goes on with something else. */
function readDelimiterLine(body: Buffer, at: number, length: number): { closing: boolean; end: number } | undefined {
  if (at > 0 && body[at - 1] !== LF) return undefined;
  let end = at + length;
  const closing = body[end] === 0x2d && body[end + 1] === 0x2d;
  if (closing) end += 2;
  while (body[end] === 0x20 || body[end] === 0x09) end += 1;
  if (body[end] === CR) end += 1;
  if (end < body.length && body[end] !== LF) return undefined;
  return { closing, end: Math.min(end + 1, body.length) };
}

/** The line end before a delimiter belongs to the delimiter. */
function lineEndBefore(body: Buffer, at: number): number {
  if (at > 1 && body[at - 2] === CR) return at - 2;
  return Math.max(at - 1, 0);
}
