const DOT = 46;
const CR = 13;
const LF = 10;
const END_AFTER_LINE = Buffer.from('.\r\n');
const END = Buffer.from('\r\n.\r\n');
const LINE_DOT = Buffer.from('\r\n.');
const NOTHING = Buffer.alloc(0);

/** Octets that are prepared and written at a time: at most one or two milliseconds of work. */
const SLICE = 256 * 1024;

/**
 * The bytes to write after 354: the message with every leading dot doubled (RFC 5321 §4.5.2), a line end if it lacks
 * one, and the final dot. A large message is yielded in several groups, of which the last one is returned. Pieces
 * without a leading dot are not copied.
 */
export function* stuffDots(content: readonly Buffer[]): Generator<readonly Buffer[], readonly Buffer[]> {
  const whole = content.length === 1 || content.every(isApart) ? content : [Buffer.concat(content)];
  let group: Buffer[] = [];
  let octets = 0;
  for (const piece of whole)
    for (let from = 0; from < piece.length; from += SLICE) {
      if (octets >= SLICE) {
        yield group;
        group = [];
        octets = 0;
      }
      const slice = stuffed(piece, from, Math.min(from + SLICE, piece.length));
      group.push(slice);
      octets += slice.length;
    }
  group.push(endOf(whole.at(-1) ?? NOTHING));
  return group;
}

function endOf(last: Buffer): Buffer {
  const { length } = last;
  const ended = length >= 2 && last[length - 1] === LF && last[length - 2] === CR;
  return ended || length === 0 ? END_AFTER_LINE : END;
}

/** Whether the piece can be processed on its own: no line end crosses its borders, and it does not begin with a dot. */
const isApart = (piece: Buffer): boolean => piece.length >= 2 && piece[0] !== DOT && piece[0] !== LF;

function stuffed(piece: Buffer, from: number, to: number): Buffer {
  const hasLineDot = (from === 0 && piece[0] === DOT) || piece.subarray(Math.max(from - 2, 0), to).includes(LINE_DOT);
  if (hasLineDot) return doubled(piece, from, to);
  return to - from === piece.length ? piece : piece.subarray(from, to);
}

/** Byte by byte, so that a message of dots only does not cost an allocation or a search per line. */
function doubled(piece: Buffer, from: number, to: number): Buffer {
  let dots = 0;
  for (let i = from; i < to; i += 1) if (piece[i] === DOT && startsLine(piece, i)) dots += 1;
  const twice = Buffer.allocUnsafe(to - from + dots);
  let at = 0;
  for (let i = from; i < to; i += 1) {
    if (piece[i] === DOT && startsLine(piece, i)) twice[at++] = DOT;
    twice[at++] = piece[i];
  }
  return twice;
}

function startsLine(content: Buffer, at: number): boolean {
  return at === 0 || (content[at - 1] === LF && content[at - 2] === CR);
}
