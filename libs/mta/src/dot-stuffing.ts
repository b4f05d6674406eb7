const DOT = 46;
const CR = 13;
const LF = 10;
const END_AFTER_LINE = Buffer.from('.\r\n');
const END = Buffer.from('\r\n.\r\n');
const LINE_DOT = Buffer.from('\r\n.');
const NOTHING = Buffer.alloc(0);

/**
 * What to write after 354: the mail with every leading dot doubled (RFC 5321 §4.5.2), then its end: a line end if it lacks
 * one and the final dot. A mail without a line that starts with a dot is not copied.
 */
export function stuffDots(content: readonly Buffer[]): [body: readonly Buffer[], end: Buffer] {
  const whole = content.length === 1 || content.every(isApart) ? content : [Buffer.concat(content)];
  const body = whole.every(hasNoLineDot) ? whole : whole.map(doubled);
  const last = whole.at(-1) ?? NOTHING;
  const { length } = last;
  const ended = length >= 2 && last[length - 1] === LF && last[length - 2] === CR;
  return [body, ended || length === 0 ? END_AFTER_LINE : END];
}

/** No line end lies across its borders, and it begins no line with a dot: what it is, it is without its neighbours. */
const isApart = (piece: Buffer): boolean => piece.length >= 2 && piece[0] !== DOT && piece[0] !== LF;
const hasNoLineDot = (piece: Buffer): boolean => piece[0] !== DOT && !piece.includes(LINE_DOT);

/** Byte by byte: a mail of nothing but dots must not cost an allocation or a search per line. */
function doubled(content: Buffer): Buffer {
  let dots = 0;
  for (let i = 0; i < content.length; i += 1) if (content[i] === DOT && startsLine(content, i)) dots += 1;
  const stuffed = Buffer.allocUnsafe(content.length + dots);
  let to = 0;
  for (let i = 0; i < content.length; i += 1) {
    if (content[i] === DOT && startsLine(content, i)) stuffed[to++] = DOT;
    stuffed[to++] = content[i];
  }
  return stuffed;
}

function startsLine(content: Buffer, at: number): boolean {
  return at === 0 || (content[at - 1] === LF && content[at - 2] === CR);
}
