import type { Writable } from 'node:stream';
import { LoopBudget } from '#libs/kernel';

const DOT = 0x2e;
const CR = 0x0d;
const LF = 0x0a;
const KIB = 1024;
/** The first octets of each message are passed on as they come; most messages are not longer. */
const UNPACED_OCTETS = 64 * KIB;
/**
 * Octets beyond that, of all sessions together, in one turn of the event loop: libuv reads up to 2 MiB from one socket
 * before it polls another.
 */
const octetsPerTurn = new LoopBudget(64 * KIB);
const LINE_DOT = Buffer.from('\n.');
const UNFINISHED = /(?:\r?\n\.?|\r\n\.\r|\r)$/;

/** One chunk of the data phase. */
interface ScannedData {
  content: Buffer;
  /** Octets behind the end of the data; null: the data go on. */
  after: Buffer | null;
  /** The last octets, which may be the beginning of the end; the next chunk is scanned with them. */
  held: Buffer;
}

/** RFC 5321 §4.5.2: one of two dots at the beginning of a line is dropped; only CRLF.CRLF ends the data. */
export function scanData(data: Buffer): ScannedData {
  const dot = data.indexOf(LINE_DOT) + 1;
  if (isEnd(data, dot)) return ended(data.subarray(0, dot), data, dot);
  if (dot > 0) return unescapeDots(data, dot);
  const until = data.length - unfinishedLength(data);
  return { content: data.subarray(0, until), after: null, held: data.subarray(until) };
}

/** Octet by octet from the first dot at a line start: a message of dots alone must not cost one search per line. */
function unescapeDots(data: Buffer, from: number): ScannedData {
  const content = Buffer.allocUnsafe(data.length);
  let to = data.copy(content, 0, 0, from);
  for (let at = from; at < data.length; at += 1) {
    const octet = data[at];
    if (octet === DOT && data[at - 1] === LF) {
      if (data[at + 1] === DOT) continue;
      if (isEnd(data, at)) return ended(content.subarray(0, to), data, at);
    }
    content[to++] = octet;
  }
  const held = data.subarray(data.length - unfinishedLength(data));
  return { content: content.subarray(0, to - held.length), after: null, held };
}

/** Whether the dot at this position, behind a line feed, is the last line. */
const isEnd = (data: Buffer, dot: number): boolean =>
  dot > 1 && data[dot - 2] === CR && data[dot + 1] === CR && data[dot + 2] === LF;

const ended = (content: Buffer, data: Buffer, dot: number): ScannedData => ({
  content,
  after: data.subarray(dot + 3),
  held: data.subarray(data.length),
});

/** Number of last octets that may be the beginning of the end, or of an escaped dot. */
const unfinishedLength = (data: Buffer): number =>
  UNFINISHED.exec(data.toString('latin1', Math.max(data.length - 4, 0)))?.[0].length ?? 0;

/** Passes content on within the event-loop budget; `received` counts the octets of the message so far, these included. */
export function writeData(
  stream: Writable | null,
  { content, received }: { content: Buffer; received: number },
  done: () => void,
): void {
  const write = () => writeOrDrain(stream, content, done);
  if (received <= UNPACED_OCTETS || octetsPerTurn.trySpend(content.length)) write();
  else void octetsPerTurn.spend(content.length).then(write);
}

function writeOrDrain(stream: Writable | null, content: Buffer, done: () => void): void {
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
