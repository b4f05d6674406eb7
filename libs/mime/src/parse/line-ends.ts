import type { Problem } from './mailbox.js';

/** RFC 5322 §2.1.1, without the CRLF. */
const MAX_LINE = 998;
const NUL = 0x00;
const LF = 0x0a;
const CR = 0x0d;
const CRLF = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);
const WITH_NUL = { problem: 'message contains a NUL' };
const BARE_CR = { problem: 'message contains a carriage return that ends no line' };
const LONG_LINE = { problem: `message contains a line of more than ${MAX_LINE} octets` };

/** Octets below 0x0e are examined one by one: CR, LF, NUL, and few others that occur in mail. */
const LOW_IN_EACH = 0x0e0e0e0e;
const TOP_BIT_OF_EACH = 0x80808080 | 0;

/**
 * Converts the line ends of a submitted message to CRLF and ends it with CRLF; every other byte stays. A message that needs
 * no change is returned as the same buffer. Bare CR, NUL and over-long lines are refused (554 5.6.0), because a repair would
 * break a signature of the sender, and some receivers read a bare CR as a line end (SMTP smuggling).
 */
export function normaliseLineEnds(raw: Buffer): { message: Buffer } | Problem {
  const normaliser = new LineEndNormaliser();
  const message = normaliser.push(raw);
  const end = normaliser.finish();
  if ('problem' in end) return end;
  return { message: end.length === 0 ? message : Buffer.concat([message, end]) };
}

/** `normaliseLineEnds` for a message in pieces. Linear: 64 KiB take at most 0.3 ms, whatever their content. */
export class LineEndNormaliser {
  private problem: Problem | undefined;
  /** Octets of the current line so far. */
  private lineLength = 0;
  private afterReturn = false;

  /** Returns the normalised piece: the same buffer where it needs no change, an empty one once the message is refused. */
  push(piece: Buffer): Buffer {
    if (piece.length === 0 || this.problem) return NOTHING;
    const isBroken = this.afterReturn && piece[0] !== LF;
    const bareLineFeeds = isBroken ? BARE_CR : this.countBareLineFeeds(piece);
    if (typeof bareLineFeeds !== 'number') {
      this.problem = bareLineFeeds;
      return NOTHING;
    }
    const paired = bareLineFeeds === 0 ? piece : insertMissingCr(piece, bareLineFeeds, this.afterReturn);
    this.afterReturn = piece[piece.length - 1] === CR;
    return paired;
  }

  /** Returns the octets missing at the end of the message, or why it is refused. */
  finish(): Buffer | Problem {
    if (this.problem) return this.problem;
    if (this.afterReturn) return BARE_CR;
    if (this.lineLength > MAX_LINE) return LONG_LINE;
    return this.lineLength === 0 ? NOTHING : CRLF;
  }

  private countBareLineFeeds(piece: Buffer): number | Problem {
    const { length } = piece;
    // Four octets at a time. A native search for the end of each line takes as long as reading the line here.
    const before = piece.byteOffset & 3;
    const words = new Int32Array(piece.buffer, piece.byteOffset - before, (before + length) >> 2);
    let bareLineFeeds = 0;
    let start = -this.lineLength;
    for (let at = 0; at < length; at += 1) {
      if (((at + before) & 3) === 0) at = 4 * nextWord(words, (at + before) >> 2) - before;
      const octet = piece[at];
      if (octet === LF) {
        const paired = at === 0 ? this.afterReturn : piece[at - 1] === CR;
        if ((paired ? at - 1 : at) - start > MAX_LINE) return LONG_LINE;
        if (!paired) bareLineFeeds += 1;
        start = at + 1;
      } else if (octet === CR) {
        if (at + 1 < length && piece[at + 1] !== LF) return BARE_CR;
      } else if (octet === NUL) return WITH_NUL;
    }
    this.lineLength = length - start;
    return bareLineFeeds;
  }
}

/** The next word with an octet below 0x0e: subtracting 0x0e from it borrows into a top bit that was not set. */
function nextWord(words: Int32Array, from: number): number {
  let at = from;
  while (at < words.length && ((words[at] - LOW_IN_EACH) & ~words[at] & TOP_BIT_OF_EACH) === 0) at += 1;
  return at;
}

function insertMissingCr(piece: Buffer, bareLineFeeds: number, afterReturn: boolean): Buffer {
  const paired = Buffer.allocUnsafe(piece.length + bareLineFeeds);
  let to = 0;
  let previous = afterReturn ? CR : NUL;
  for (let at = 0; at < piece.length; at += 1) {
    const octet = piece[at];
    if (octet === LF && previous !== CR) paired[to++] = CR;
    paired[to++] = octet;
    previous = octet;
  }
  return paired;
}
