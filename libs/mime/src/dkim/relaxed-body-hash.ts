import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const BLOCK = 64 * 1024;
/** Octets that are read or hashed before yielding to the event loop. */
const BYTES_PER_TURN = 128 * 1024;
const CRLF = Buffer.from('\r\n');

/**
 * SHA-256 of the body in relaxed canonical form (RFC 6376 §3.4.4), as base64 for `bh=`: white space at line ends and empty
 * lines at the end are dropped, other runs of white space become one space. `body` must have CRLF line ends.
 *
 * Blocks of whole lines that are canonical already, as base64 always is, are hashed without a copy.
 */
export async function relaxedBodyHash(body: Buffer): Promise<string> {
  const hash = createHash('sha256');
  const end = await endOfText(body);
  let scratch: Buffer | undefined;
  let yieldAt = BYTES_PER_TURN;
  for (let start = 0; start < end;) {
    const lineEnd = start + BLOCK < end ? body.indexOf(LF, start + BLOCK) + 1 : end;
    const stop = lineEnd > 0 && lineEnd < end ? lineEnd : end;
    const block = body.subarray(start, stop);
    if (isCanonical(block)) {
      hash.update(block);
    } else {
      if (scratch === undefined || scratch.length < block.length) scratch = Buffer.allocUnsafe(block.length);
      hash.update(scratch.subarray(0, canonicalise(block, scratch)));
    }
    start = stop;
    if (start < yieldAt) continue;
    await setImmediate();
    yieldAt = start + BYTES_PER_TURN;
  }
  if (end > 0) hash.update(CRLF);
  return hash.digest('base64');
}

/** Just after the last octet that is neither white space nor part of a line end; 0 for an empty body. */
async function endOfText(body: Buffer): Promise<number> {
  for (let from = body.length; from > 0;) {
    const until = Math.max(from - BYTES_PER_TURN, 0);
    for (; from > until; from -= 1) {
      const octet = body[from - 1];
      if (octet !== CR && octet !== LF && octet !== SPACE && octet !== TAB) return from;
    }
    await setImmediate();
  }
  return 0;
}

/** One loop, because text has a space every few octets: a native search that stops at each takes twice as long. */
function isCanonical(lines: Buffer): boolean {
  const { length } = lines;
  for (let at = 0; at < length; at += 1) {
    const octet = lines[at];
    if (octet > SPACE) continue;
    if (octet === TAB) return false;
    if (octet !== SPACE) continue;
    const next = lines[at + 1];
    if (next === SPACE || next === TAB || next === CR) return false;
  }
  return true;
}

/** Writes the canonical form of whole lines into `to` and returns its length. */
function canonicalise(lines: Buffer, to: Buffer): number {
  let length = 0;
  let pending = false;
  for (let at = 0; at < lines.length; at += 1) {
    const octet = lines[at];
    if (octet === SPACE || octet === TAB) {
      pending = true;
      continue;
    }
    if (pending) {
      pending = false;
      if (octet !== CR) to[length++] = SPACE;
    }
    to[length++] = octet;
  }
  return length;
}
