// SMTP sink: a server that accepts every message, stores none, and counts by Message-ID which messages of a run
// arrived, how often, and when the last one arrived. Supports pipelining.
//   forked; sends { port }, then answers { expect: { run, count } } and { report: run }; exits with its parent
import { createServer } from 'node:net';
import { now } from '../measure/clock.mjs';

/**
 * @typedef {object} Arrivals
 * @property {string} run
 * @property {number} count number of expected messages
 * @property {number} distinct number of them that arrived
 * @property {number} duplicates repeated arrivals of the same message
 * @property {number} bytes of all arrivals, as sent
 * @property {number} lastAt milliseconds of the machine's clock at the last first arrival
 */

if (!process.send) {
  console.error('This program is started by npm run bench.');
  process.exit(2);
}

const END_OF_DATA = '\r\n.\r\n';
const END_OF_DATA_OCTETS = Buffer.from(END_OF_DATA);
/** Maximum number of octets at the end of a chunk that may be the first part of the end of data. */
const PARTIAL_END = END_OF_DATA.length - 1;
const HEAD_END = '\r\n\r\n';
const HEAD_END_OCTETS = Buffer.from(HEAD_END);
const NOTHING = Buffer.alloc(0);
const LF = 10;
const MAX_HEAD = 65_536;
const MESSAGE_ID = /^message-id:\s*<([^>@]+)\.(\d+)@/im;

/** @type {Map<string, Arrivals & { at: Float64Array }>} `at`: first arrival of each message, 0 before it */
const runs = new Map();
/** Messages of no announced run, and messages without a Message-ID of a run. */
let unexpected = 0;

/** @param {string} head @param {number} bytes */
function recordArrival(head, bytes) {
  const [, run = '', number = ''] = MESSAGE_ID.exec(head) ?? [];
  const arrivals = runs.get(run);
  const index = Number(number);
  if (!arrivals || !(index < arrivals.count)) {
    unexpected += 1;
    return;
  }
  arrivals.bytes += bytes;
  if (arrivals.at[index] > 0) {
    arrivals.duplicates += 1;
    return;
  }
  arrivals.at[index] = now();
  arrivals.distinct += 1;
  arrivals.lastAt = arrivals.at[index];
  if (arrivals.distinct === arrivals.count) process.send?.({ complete: run });
}

/** The four letters of a verb, in capitals, as a number. @param {string} letters */
const verb = (letters) => Buffer.from(letters).readUInt32BE();
const CAPITALS = 0xdfdfdfdf;
const DATA = verb('DATA');
const QUIT = verb('QUIT');
const OK = '250 2.0.0 Ok\r\n';
/** @type {Map<number, string>} */
const REPLIES = new Map([
  [
    verb('EHLO'),
    '250-sink.example\r\n250-PIPELINING\r\n250-SIZE 52428800\r\n250-ENHANCEDSTATUSCODES\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n',
  ],
  [verb('HELO'), '250 sink.example\r\n'],
  [DATA, '354 Go ahead\r\n'],
  [QUIT, '221 2.0.0 Bye\r\n'],
]);

/** One connection. Replies to all commands of one chunk are sent in one write; bodies are not copied. */
class Receiver {
  /** An incomplete command. */
  pending = NOTHING;
  inData = false;
  head = '';
  headIsComplete = false;
  bytes = 0;
  /** The last octets received so far, which may be the first part of the end of data. */
  tail = '';
  replies = '';

  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    this.socket = socket.setNoDelay(true);
    socket.on('data', (chunk) => this.take(chunk));
    socket.on('error', () => socket.destroy());
    socket.write('220 sink.example ESMTP\r\n');
  }

  /** @param {Buffer} chunk */
  take(chunk) {
    const octets = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    let at = 0;
    for (let before = -1; before !== at && at < octets.length;) {
      before = at;
      at = this.inData ? this.takeData(octets, at) : this.takeCommand(octets, at);
    }
    this.pending = at === octets.length ? NOTHING : octets.subarray(at);
    if (this.replies === '') return;
    this.socket.write(this.replies, 'latin1');
    this.replies = '';
  }

  /** @param {Buffer} octets @param {number} at @returns {number} the start of the next one; `at` if this one is incomplete */
  takeCommand(octets, at) {
    const end = octets.indexOf(LF, at);
    if (end === -1) return at;
    const command = end - at < 4 ? 0 : (octets.readUInt32BE(at) & CAPITALS) >>> 0;
    this.replies += REPLIES.get(command) ?? OK;
    if (command === DATA) this.beginData();
    if (command !== QUIT) return end + 1;
    this.socket.end(this.replies);
    this.replies = '';
    return octets.length;
  }

  beginData() {
    this.inData = true;
    this.head = '';
    this.headIsComplete = false;
    this.bytes = 0;
    this.tail = '';
  }

  /** @param {Buffer} octets @param {number} at @returns {number} the start of the next command */
  takeData(octets, at) {
    const past = this.endOfData(octets, at);
    const end = past === -1 ? octets.length : past;
    if (!this.headIsComplete) this.readHead(octets, at, end);
    this.bytes += end - at;
    if (past === -1) {
      this.tail = (this.tail + octets.latin1Slice(Math.max(at, end - PARTIAL_END), end)).slice(-PARTIAL_END);
      return end;
    }
    this.inData = false;
    const blank = this.head.indexOf(HEAD_END);
    // The last line end belongs to the message; the dot and the line end after it do not.
    recordArrival(blank === -1 ? this.head : this.head.slice(0, blank), this.bytes - '.\r\n'.length);
    this.replies += '250 2.0.0 Ok: accepted\r\n';
    return end;
  }

  /** @param {Buffer} octets @param {number} at @returns {number} the position after it, or -1 */
  endOfData(octets, at) {
    if (this.tail !== '') {
      const seam = this.tail + octets.latin1Slice(at, Math.min(at + PARTIAL_END, octets.length));
      const begin = seam.indexOf(END_OF_DATA);
      if (begin !== -1) return at + begin + END_OF_DATA.length - this.tail.length;
    }
    const begin = octets.indexOf(END_OF_DATA_OCTETS, at);
    return begin === -1 ? -1 : begin + END_OF_DATA.length;
  }

  /** Reads only as much as the header block needs. @param {Buffer} octets @param {number} at @param {number} end */
  readHead(octets, at, end) {
    const blank = octets.indexOf(HEAD_END_OCTETS, at);
    this.head += octets.latin1Slice(at, Math.min(blank === -1 ? end : blank + HEAD_END.length, end, at + MAX_HEAD));
    this.headIsComplete = this.head.length >= MAX_HEAD || this.head.includes(HEAD_END);
  }
}

const server = createServer((socket) => void new Receiver(socket));
server.listen(0, '127.0.0.1', 1024, () => {
  process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port });
});

process.on(
  'message',
  (/** @type {{ expect?: { run: string, count: number }, report?: string, times?: boolean }} */ message) => {
    if (message.expect) {
      const { run, count } = message.expect;
      runs.set(run, { run, count, distinct: 0, duplicates: 0, bytes: 0, lastAt: 0, at: new Float64Array(count) });
      process.send?.({ expecting: run });
    }
    if (message.report !== undefined) {
      const { at, ...arrivals } = runs.get(message.report) ?? {};
      process.send?.({ report: { ...arrivals, unexpected, arrivedAt: message.times ? [...(at ?? [])] : [] } });
    }
  },
);
process.on('disconnect', () => process.exit(0));
