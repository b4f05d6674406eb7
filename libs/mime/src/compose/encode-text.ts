/** A text as MIME content: its transfer encoding, and its bytes with CRLF line ends. */
export interface TextLeaf {
  encoding: '7bit' | 'quoted-printable' | 'base64';
  bytes: Buffer;
}

/** RFC 2045 §6.7 rule 5 and §6.8; used for 7bit as well, so that no reader has to wrap lines. */
const LINE = 76;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DOT = 0x2e;
const EQUALS = 0x3d;
const DEL = 0x7f;
const FROM = 'From ';
const HEX = Buffer.from('0123456789ABCDEF');

/**
 * Encodes a text with CRLF line ends: as 7bit where it is ASCII in short lines that no relay changes, else as
 * quoted-printable or base64, whichever is smaller.
 */
export function encodeText(text: string): TextLeaf {
  if (isSafeAs7bit(text)) return { encoding: '7bit', bytes: Buffer.from(text, 'latin1') };
  const utf8 = Buffer.from(text, 'utf8');
  let escaped = 0;
  for (const octet of utf8) if (octet > 0x7e || octet === EQUALS || octet < TAB) escaped += 1;
  const base64 = utf8.length + 3 * escaped > (utf8.length * 4) / 3 + utf8.length / 2;
  return base64
    ? { encoding: 'base64', bytes: base64Lines(utf8) }
    : { encoding: 'quoted-printable', bytes: quotedPrintable(utf8) };
}

/**
 * Printable ASCII in lines of at most 76, without white space at a line end, without a line that begins with `From ` (mbox
 * stores change it) or a dot (careless relays remove it).
 */
function isSafeAs7bit(text: string): boolean {
  let lineStart = 0;
  let previous = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === CR) {
      if (previous === SPACE || previous === TAB) return false;
    } else if (code === LF) {
      lineStart = at + 1;
    } else {
      if (at - lineStart >= LINE || isNotText(code)) return false;
      if (at === lineStart && (code === DOT || text.startsWith(FROM, at))) return false;
    }
    previous = code;
  }
  return previous !== SPACE && previous !== TAB;
}

function isNotText(code: number): boolean {
  return code >= DEL || (code < SPACE && code !== TAB);
}

export function base64Lines(bytes: Buffer): Buffer {
  const all = bytes.toString('base64');
  const lines: string[] = [];
  for (let at = 0; at < all.length; at += LINE) lines.push(all.slice(at, at + LINE));
  return Buffer.from(lines.join('\r\n'), 'latin1');
}

export function quotedPrintable(bytes: Buffer): Buffer {
  // Three octets for each octet, and a soft line end (three octets) after 73 at the latest.
  const out = Buffer.allocUnsafe(bytes.length * 3 + Math.ceil((bytes.length * 3) / 72) * 3 + 3);
  let length = 0;
  let column = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const octet = bytes[at];
    if (octet === CR && bytes[at + 1] === LF) {
      length = writeCrlf(out, length);
      column = 0;
      at += 1;
      continue;
    }
    const lineEnds = endsLine(bytes, at);
    let literal = isLiteral(octet, lineEnds);
    // The last column of a line is for the `=` of a soft line end, unless the line ends here.
    if (column + (literal ? 1 : 3) > (lineEnds ? LINE : LINE - 1)) {
      out[length++] = EQUALS;
      length = writeCrlf(out, length);
      column = 0;
    }
    if (column === 0 && (octet === DOT || startsFrom(bytes, at))) literal = false;
    if (literal) {
      out[length++] = octet;
      column += 1;
    } else {
      length = writeEscape(out, length, octet);
      column += 3;
    }
  }
  return out.subarray(0, length);
}

function writeCrlf(out: Buffer, at: number): number {
  out[at] = CR;
  out[at + 1] = LF;
  return at + 2;
}

function writeEscape(out: Buffer, at: number, octet: number): number {
  out[at] = EQUALS;
  out[at + 1] = HEX[octet >> 4];
  out[at + 2] = HEX[octet & 15];
  return at + 3;
}

function endsLine(bytes: Buffer, at: number): boolean {
  return at + 1 === bytes.length || (bytes[at + 1] === CR && bytes[at + 2] === LF);
}

function isLiteral(octet: number, lineEnds: boolean): boolean {
  if (octet === SPACE || octet === TAB) return !lineEnds;
  return octet > SPACE && octet < DEL && octet !== EQUALS;
}

function startsFrom(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x46 && bytes.toString('latin1', at, at + FROM.length) === FROM;
}
