import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';

const DOT = 0x2e;
const CR = 0x0d;
const LF = 0x0a;
const LINE_DOT = Buffer.from('\n.');

/** What one piece of the data phase is made of. */
interface Scanned {
  content: Buffer;
  /** Behind the end of the data; null: the data goes on. */
  after: Buffer | null;
  /** The last octets, which may be the beginning of the end. */
  held: Buffer;
}

/**
 * Gives the library's parser a faster reading of the data phase, with the same result: line ends are searched natively
 * instead of octet by octet, pieces are not copied to look across their seams, and a line with an escaped dot does not
 * cost a turn of the event loop. How data begins and ends stays with the library.
 */
export function readDataFast(parser: SMTPStream): SMTPStream {
  const byTheLibrary = parser._feedDataStream.bind(parser);
  parser._feedDataStream = (chunk, done) => {
    const held = parser._lastBytes || Buffer.alloc(0);
    if (parser._atDataStart && (held[0] ?? chunk[0]) === DOT) return byTheLibrary(chunk, done);
    const { content, after, held: last } = scanData(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
    parser._lastBytes = last;
    parser._countDataBytes(content.length);
    if (after === null) return emit(parser, content, done);
    parser._lastBytes = false;
    parser._endDataMode(content, after, done);
  };
  return parser;
}

/** RFC 5321 §4.5.2: of two dots at the beginning of a line one is dropped; only CRLF.CRLF ends the data. */
export function scanData(data: Buffer): Scanned {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = data.indexOf(LINE_DOT); at >= 0; at = data.indexOf(LINE_DOT, at + 1)) {
    const dot = at + 1;
    const afterReturn = data[at - 1] === CR;
    const next = data[dot + 1];
    if (next === DOT) {
      pieces.push(data.subarray(from, dot));
      from = dot + 1;
    } else if (afterReturn && next === CR && data[dot + 2] === LF) {
      pieces.push(data.subarray(from, dot));
      return { content: join(pieces), after: data.subarray(dot + 3), held: data.subarray(data.length) };
    } else if (next === undefined || (afterReturn && next === CR && dot + 2 === data.length)) {
      return goOn(data, { pieces, from, until: afterReturn ? at - 1 : at });
    }
  }
  return goOn(data, { pieces, from, until: data.length - unfinished(data) });
}

function goOn(data: Buffer, { pieces, from, until }: { pieces: Buffer[]; from: number; until: number }): Scanned {
  pieces.push(data.subarray(from, until));
  return { content: join(pieces), after: null, held: data.subarray(until) };
}

/** Octets of a line end at the very end, whose next octet decides. */
function unfinished(data: Buffer): number {
  const last = data[data.length - 1];
  if (last === CR) return 1;
  if (last !== LF) return 0;
  return data[data.length - 2] === CR ? 2 : 1;
}

const join = (pieces: Buffer[]): Buffer => (pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));

function emit(parser: SMTPStream, content: Buffer, done: (error?: Error | null) => void): void {
  const stream = parser._dataStream;
  if (content.length === 0 || !stream?.writable || stream.write(content) || stream.destroyed) return done();
  // A stream that the application destroys never drains, it only closes.
  const resume = (): void => {
    stream.off('drain', resume);
    stream.off('close', resume);
    done();
  };
  stream.once('drain', resume);
  stream.once('close', resume);
}
