const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;
const SPACE = 0x20;
const TAB = 0x09;

/** A piece of a multipart body. All pieces, concatenated, are the body. */
export interface MultipartPiece {
  /** `frame`: a delimiter line with the line end before it, the preamble or the epilogue. */
  kind: 'part' | 'frame';
  octets: Buffer;
}

interface DelimiterLine {
  closing: boolean;
  /** First octet after the line end. */
  end: number;
}

/**
 * Splits a multipart body at its delimiter lines (RFC 2046 §5.1.1). Without a closing delimiter the last part extends to
 * the end of the body.
 * @param stopAtLookalike called wherever the delimiter occurs without being a delimiter line; true ends the search
 */
export function* splitMultipart(
  body: Buffer,
  boundary: string,
  stopAtLookalike: () => boolean = () => false,
): Generator<MultipartPiece> {
  const delimiter = Buffer.from(`--${boundary}`);
  let kind: MultipartPiece['kind'] = 'frame';
  let from = 0;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    const line = delimiterLine(body, at, delimiter.length);
    if (line === null) {
      if (stopAtLookalike()) break;
      continue;
    }
    const frame = Math.max(from, lineEndBefore(body, at));
    yield { kind, octets: body.subarray(from, frame) };
    yield { kind: 'frame', octets: body.subarray(frame, line.end) };
    from = line.end;
    kind = line.closing ? 'frame' : 'part';
    if (line.closing) break;
  }
  yield { kind, octets: body.subarray(from) };
}

/** Null where the match is inside a line, or other text follows it on its line. */
function delimiterLine(body: Buffer, at: number, length: number): DelimiterLine | null {
  if (at > 0 && body[at - 1] !== LF) return null;
  let end = at + length;
  const closing = body[end] === DASH && body[end + 1] === DASH;
  if (closing) end += 2;
  while (body[end] === SPACE || body[end] === TAB) end += 1;
  if (body[end] === CR) end += 1;
  return end < body.length && body[end] !== LF ? null : { closing, end: Math.min(end + 1, body.length) };
}

/** The line end before a delimiter line belongs to the delimiter. */
function lineEndBefore(body: Buffer, at: number): number {
  if (at > 1 && body[at - 2] === CR) return at - 2;
  return Math.max(at - 1, 0);
}
