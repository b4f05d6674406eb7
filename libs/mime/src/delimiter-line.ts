const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;

/** A line that ends one part of a multipart, and with `closing` all of them; `end` is behind its line end. */
export interface DelimiterLine {
  closing: boolean;
  end: number;
}

/**
 * The delimiter line (RFC 2046 §5.1.1) whose `--boundary` of this length was found at this place; null where the match is
 * inside a line, or the line goes on with something else.
 */
export function delimiterLine(body: Buffer, at: number, length: number): DelimiterLine | null {
  if (at > 0 && body[at - 1] !== LF) return null;
  let end = at + length;
  const closing = body[end] === DASH && body[end + 1] === DASH;
  if (closing) end += 2;
  while (body[end] === 0x20 || body[end] === 0x09) end += 1;
  if (body[end] === CR) end += 1;
  return end < body.length && body[end] !== LF ? null : { closing, end: Math.min(end + 1, body.length) };
}

/** Where a part ends before a delimiter line: the line end before it belongs to the delimiter. */
export function lineEndBefore(body: Buffer, at: number): number {
  if (at > 1 && body[at - 2] === CR) return at - 2;
  return Math.max(at - 1, 0);
}
