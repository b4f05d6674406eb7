/** One complete reply as received. `code` is null if a line is not an SMTP reply, or if the lines disagree. */
export interface RawReply {
  code: number | null;
  /** All lines with their codes and line ends. */
  raw: string;
}

/**
 * Maximum length of a reply. RFC 5321 §4.5.3.1.5 allows 512 octets per line, but a hostile server sends without limit.
 */
export const MAX_REPLY_BYTES = 64 * 1024;

const CLOSING = Buffer.from('421');
const LF = 10;
const DASH = 45;
const SPACE = 32;
const ZERO = 48;

interface ReplyEnd {
  /** Index after the last line end. */
  end: number;
  code: number | null;
}

/** Splits the byte stream of a server into replies. Never holds more than one incomplete reply of `MAX_REPLY_BYTES`. */
export class ReplyReader {
  private pending: Buffer | null = null;
  private stopped = false;
  private followed = false;

  constructor(
    private readonly onReply: (reply: RawReply) => void,
    private readonly onOverflow: () => void,
  ) {}

  /** An incomplete rest is copied, so the caller may reuse `chunk`. */
  push(chunk: Buffer): void {
    const data = this.pending === null ? chunk : Buffer.concat([this.pending, chunk]);
    this.pending = null;
    let start = 0;
    while (!this.stopped && start < data.length) {
      const found = endOfReply(data, start);
      const length = (found?.end ?? data.length) - start;
      if (length > MAX_REPLY_BYTES) {
        this.stop();
        this.onOverflow();
        return;
      }
      if (found === null) {
        const left = data.subarray(start);
        this.pending = data === chunk ? Buffer.from(left) : left;
        return;
      }
      const reply = { code: found.code, raw: data.toString('utf8', start, found.end) };
      start = found.end;
      this.followed = start < data.length && !data.subarray(start, start + 3).equals(CLOSING);
      this.onReply(reply);
    }
    this.followed = false;
  }

  /** During `onReply`: more bytes followed in the same read, other than the 421 of a server that closes. */
  get isFollowed(): boolean {
    return this.followed;
  }

  /**
   * Discards all bytes, past and future. Before TLS starts, bytes in plain text must not count (injection after the
   * 220).
   */
  stop(): void {
    this.stopped = true;
    this.pending = null;
  }
}

function endOfReply(data: Buffer, start: number): ReplyEnd | null {
  let line = start;
  let first = -1;
  let agreed = true;
  for (;;) {
    const newline = data.indexOf(LF, line);
    if (newline === -1) return null;
    const code = codeAt(data, line, newline);
    if (code === null) return { end: newline + 1, code: null };
    const digit = data[line];
    if (first === -1) first = digit;
    else if (digit !== first) agreed = false;
    if (data[line + 3] !== DASH) return { end: newline + 1, code: agreed ? code : null };
    line = newline + 1;
  }
}

/** 200 to 599 followed by a space, a dash or the line end. Anything else is not an SMTP reply. */
function codeAt(data: Buffer, line: number, newline: number): number | null {
  if (newline - line < 3) return null;
  const hundreds = data[line] - ZERO;
  const tens = data[line + 1] - ZERO;
  const ones = data[line + 2] - ZERO;
  if (hundreds < 2 || hundreds > 5 || tens < 0 || tens > 9 || ones < 0 || ones > 9) return null;
  const separator = data[line + 3];
  if (separator !== SPACE && separator !== DASH && separator !== 13 && separator !== LF) return null;
  return hundreds * 100 + tens * 10 + ones;
}
