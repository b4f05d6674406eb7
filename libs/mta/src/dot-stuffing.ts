const DOT = 46;
const CR = 13;
const LF = 10;
const STUFFED_DOT = Buffer.from('.');
const END_AFTER_LINE = Buffer.from('.\r\n');
const END = Buffer.from('\r\n.\r\n');
const LINE_DOT = Buffer.from('\r\n.');

/**
 * The pieces to write after 354: the mail with every leading dot doubled (RFC 5321 §4.5.2), a final line end if it
 * lacks one, and the final dot. Pieces are views of `content`; a mail without a line that starts with a dot is one view.
 */
export function stuffDots(content: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let start = 0;
  if (content[0] === DOT) pieces.push(STUFFED_DOT);
  for (let at = content.indexOf(LINE_DOT); at !== -1; at = content.indexOf(LINE_DOT, at + 3)) {
    pieces.push(content.subarray(start, at + 3), STUFFED_DOT);
    start = at + 3;
  }
  pieces.push(start === 0 ? content : content.subarray(start));
  const ended = content.length >= 2 && content[content.length - 1] === LF && content[content.length - 2] === CR;
  pieces.push(ended || content.length === 0 ? END_AFTER_LINE : END);
  return pieces;
}
