// The end of the line: an SMTP server that takes every mail, keeps none, and counts by Message-ID which mails of a run
// arrived, how often, and when the last one did. Takes pipelined commands.
//   forked; sends { port }, then answers { expect: { run, count } } and { report: run }; ends with its parent
import { createServer } from 'node:net';

/**
 * @typedef {object} Arrivals
 * @property {string} run
 * @property {number} count how many are expected
 * @property {number} distinct how many of them arrived
 * @property {number} duplicates arrivals of a mail that had arrived before
 * @property {number} bytes of all arrivals, as sent
 * @property {number} lastAt milliseconds since the epoch of the last first arrival
 */

if (!process.send) {
  console.error('This is started by npm run bench.');
  process.exit(2);
}

const END_OF_DATA = Buffer.from('\r\n.\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
const MAX_HEAD = 65_536;
const MESSAGE_ID = /^message-id:\s*<([^>@]+)\.(\d+)@/im;

const now = () => performance.timeOrigin + performance.now();

/** @type {Map<string, Arrivals & { at: Float64Array }>} `at`: first arrival of each mail, 0 before it */
const runs = new Map();
/** Mails of no announced run, and mails without a Message-ID of ours. */
let strangers = 0;

/** @param {Buffer} head @param {number} bytes */
function arrived(head, bytes) {
  const [, run = '', number = ''] = MESSAGE_ID.exec(head.latin1Slice()) ?? [];
  const arrivals = runs.get(run);
  const index = Number(number);
  if (!arrivals || !(index < arrivals.count)) {
    strangers += 1;
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

/** One connection. Replies to everything that one chunk brought leave in one write. */
class Receiver {
  /** @type {Buffer} */ pending = Buffer.alloc(0);
  inData = false;
  /** @type {Buffer[]} */ head = [];
  headBytes = 0;
  bytes = 0;
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
    this.pending = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    while (this.inData ? this.takeData() : this.takeCommand());
    if (this.replies === '') return;
    this.socket.write(this.replies);
    this.replies = '';
  }

  /** @returns {boolean} whether there may be more to take */
  takeCommand() {
    const end = this.pending.indexOf(10);
    if (end === -1) return false;
    const verb = this.pending.latin1Slice(0, Math.min(end, 4)).toUpperCase();
    this.pending = this.pending.subarray(end + 1);
    this.replies += REPLIES[verb] ?? '250 2.0.0 Ok\r\n';
    if (verb === 'DATA') this.beginData();
    if (verb === 'QUIT') this.socket.end(this.replies);
    return verb !== 'QUIT';
  }

  beginData() {
    this.inData = true;
    this.head = [];
    this.headBytes = 0;
    this.bytes = 0;
  }

  /** @returns {boolean} */
  takeData() {
    const end = this.pending.indexOf(END_OF_DATA);
    // What might be the first part of the end mark stays for the next chunk.
    const ready = end === -1 ? this.pending.length - (END_OF_DATA.length - 1) : end + 2;
    if (ready > 0) {
      this.keepHead(this.pending.subarray(0, ready));
      this.bytes += ready;
      this.pending = this.pending.subarray(ready);
    }
    if (end === -1) return false;
    this.pending = this.pending.subarray(END_OF_DATA.length - 2);
    this.inData = false;
    const head = Buffer.concat(this.head);
    const headEnd = head.indexOf(HEAD_END);
    arrived(headEnd === -1 ? head : head.subarray(0, headEnd), this.bytes);
    this.replies += '250 2.0.0 Ok: taken\r\n';
    return true;
  }

  /** Only as much as surely holds the header block: a large body is not kept. @param {Buffer} piece */
  keepHead(piece) {
    if (this.headBytes >= MAX_HEAD || (this.head.length > 0 && this.head[0].includes(HEAD_END))) return;
    this.head.push(piece);
    this.headBytes += piece.length;
  }
}

/** @type {Record<string, string>} */
const REPLIES = {
  EHLO: '250-sink.example\r\n250-PIPELINING\r\n250-SIZE 52428800\r\n250-ENHANCEDSTATUSCODES\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n',
  HELO: '250 sink.example\r\n',
  DATA: '354 Go ahead\r\n',
  QUIT: '221 2.0.0 Bye\r\n',
};

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
      process.send?.({ report: { ...arrivals, strangers, arrivedAt: message.times ? [...(at ?? [])] : [] } });
    }
  },
);
process.on('disconnect', () => process.exit(0));
