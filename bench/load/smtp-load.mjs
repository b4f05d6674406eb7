// SMTP load generator: sends distinct messages over a number of sessions, one command at a time like most clients (no
// pipelining), and measures the time from MAIL to the final 250. It uses little CPU time, which the measured system
// would lack: only the number in a message changes, and replies are read into one buffer per session.
//   forked by bench/relay.mjs with one argument: SmtpLoadOptions as JSON; sends one SmtpLoadResult
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { now } from '../measure/clock.mjs';
import { percentiles } from '../measure/percentiles.mjs';

/**
 * @typedef {object} SmtpLoadOptions
 * @property {number} port on 127.0.0.1
 * @property {boolean} [tls] from the first byte; default: if there is a login
 * @property {{ user: string, password: string } | null} login once per session
 * @property {string} from address of an active domain
 * @property {string} run part of every Message-ID, so that the sink can assign the message
 * @property {number} count
 * @property {number} sessions
 * @property {number} bytes size of one message, headers included
 * @property {number} [perSecond] fixed rate of messages; default: as fast as they are accepted
 */
/**
 * @typedef {object} SmtpLoadResult
 * @property {number} accepted
 * @property {number} startedAt milliseconds of the machine's clock, before the first connection is opened
 * @property {number} endedAt milliseconds of the machine's clock, at the last 250
 * @property {import('../measure/percentiles.mjs').Percentiles} latency from MAIL to 250 in milliseconds
 * @property {number} cpuSeconds of this load generator
 * @property {number[]} sentAt milliseconds of the machine's clock when the last octet of each message was written; empty without `perSecond`
 */
/** @typedef {{ octets: Buffer, code: number }} Line a command or message, and the expected reply code */

/** Longer than any reply except that to EHLO, which may arrive in parts. */
const REPLY_BUFFER = 4_096;
const LF = 10;
const SPACE = 32;
const ZERO = 48;
/** Placeholder of the number of a message. */
const NUMBER = '########';

/** One session without pipelining. */
class Session {
  /** @type {readonly Line[]} those before `next` have been sent */
  lines = [];
  next = 0;
  /** Text of a reply with several lines or chunks. */
  text = '';
  /** When the last line was sent, by the machine's clock. */
  sentAt = 0;
  /** @type {{ resolve: () => void, reject: (error: Error) => void } | null} */
  waiting = null;
  /** @type {Error | null} */
  broken = null;

  /** @param {SmtpLoadOptions} options */
  constructor({ port, login, tls = login !== null }) {
    const onread = { buffer: Buffer.allocUnsafeSlow(REPLY_BUFFER), callback: this.read.bind(this) };
    const to = { port, host: '127.0.0.1', onread };
    // The type of `onread` exists for plain text only.
    const overTls = /** @type {import('node:tls').ConnectionOptions} */ ({ ...to, rejectUnauthorized: false });
    this.socket = tls ? connectTls(overTls) : connect(to);
    this.socket.setNoDelay(true);
    this.socket.on('error', (error) => this.fail(error));
    this.socket.on('close', () => this.fail(new Error('the server closed the session')));
  }

  /** @param {Error} error */
  fail(error) {
    this.broken ??= error;
    this.waiting?.reject(error);
  }

  /** Sends each line after the reply to the previous one. @param {readonly Line[]} lines @returns {Promise<void>} resolves at the last reply */
  send(lines) {
    return new Promise((resolve, reject) => {
      if (this.broken) return reject(this.broken);
      this.waiting = { resolve, reject };
      this.lines = lines;
      this.next = 0;
      this.sendNext();
    });
  }

  sendNext() {
    const { octets } = this.lines[this.next++];
    if (octets.length > 0) this.socket.write(octets);
    if (this.next === this.lines.length) this.sentAt = now();
  }

  onReply() {
    if (this.next < this.lines.length) this.sendNext();
    else this.waiting?.resolve();
  }

  /** @param {number} length @param {Uint8Array} buffer @returns {boolean} true to continue reading */
  read(length, buffer) {
    const { code } = this.lines[this.next - 1];
    const isOneLine = this.text === '' && buffer[3] === SPACE && buffer.indexOf(LF) === length - 1;
    if (isOneLine && codeOf(buffer) === code) this.onReply();
    else this.readText(Buffer.from(buffer.subarray(0, length)).latin1Slice(), code);
    return true;
  }

  /** @param {string} text @param {number} code */
  readText(text, code) {
    this.text += text;
    // The last line of a reply has a space after its code (RFC 5321 §4.2.1).
    if (!/(^|\n)\d{3} [^\n]*\r\n$/.test(this.text)) return;
    const reply = this.text;
    this.text = '';
    if (reply.startsWith(String(code))) this.onReply();
    else this.fail(new Error(`expected ${code}, got: ${reply.trim()}`));
  }
}

/** @param {Uint8Array} reply */
const codeOf = (reply) => (reply[0] - ZERO) * 100 + (reply[1] - ZERO) * 10 + (reply[2] - ZERO);

/** @param {string} text @param {number} code @returns {Line} */
const line = (text, code) => ({ octets: Buffer.from(text === '' ? '' : `${text}\r\n`), code });

/** @param {SmtpLoadOptions['login']} login @returns {Line[]} */
function opening(login) {
  const lines = [line('', 220), line('EHLO load.example', 250)];
  if (!login) return lines;
  const secret = Buffer.from(`\0${login.user}\0${login.password}`).toString('base64');
  return [...lines, line(`AUTH PLAIN ${secret}`, 235)];
}

/** The lines of the messages: the same octets each time, with another number in them. */
class Messages {
  /** @param {SmtpLoadOptions} options */
  constructor({ from, run, bytes }) {
    this.lines = [
      line(`MAIL FROM:<${from}>`, 250),
      line(`RCPT TO:<reader-${NUMBER}@example.com>`, 250),
      line('DATA', 354),
      line(message({ from, run, bytes }), 250),
    ];
    this.places = this.lines.flatMap(({ octets }) => placesIn(octets));
  }

  /** Overwrites the previous message, which must have been accepted. @param {number} index @returns {readonly Line[]} */
  numbered(index) {
    for (const { octets, at } of this.places)
      for (let digit = NUMBER.length - 1, rest = index; digit >= 0; digit -= 1, rest = Math.floor(rest / 10))
        octets[at + digit] = ZERO + (rest % 10);
    return this.lines;
  }
}

/** @param {{ from: string, run: string, bytes: number }} what @returns {string} including the dot of the end of data */
function message({ from, run, bytes }) {
  const head = [
    `From: Bench <${from}>`,
    `To: Reader <reader-${NUMBER}@example.com>`,
    `Subject: Order ${NUMBER} of ${run}`,
    `Message-ID: <${run}.${NUMBER}@load.example>`,
    'Date: Sat, 03 Jan 2026 10:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    `Order ${NUMBER} of ${run}.`,
    '',
  ].join('\r\n');
  const sentence = 'What you ordered, how it was packed, and the day on which it will arrive.\r\n';
  const filler = Math.max(0, bytes - head.length - '\r\n.\r\n'.length);
  return `${head}${sentence.repeat(Math.ceil(filler / sentence.length)).slice(0, filler)}\r\n.`;
}

/** @param {Buffer} octets */
function placesIn(octets) {
  const places = [];
  for (let at = octets.indexOf(NUMBER); at !== -1; at = octets.indexOf(NUMBER, at + NUMBER.length))
    places.push({ octets, at });
  return places;
}

/** @param {SmtpLoadOptions} options @returns {Promise<SmtpLoadResult>} */
async function loadSmtp(options) {
  const latencies = new Float64Array(options.count);
  const sentAt = new Float64Array(options.perSecond ? options.count : 0);
  let next = 0;
  const cpuBefore = process.cpuUsage();
  const startedAt = now();
  const sendAll = async () => {
    const session = new Session(options);
    await session.send(opening(options.login));
    const messages = new Messages(options);
    for (let index = next++; index < options.count; index = next++) {
      if (options.perSecond) await until(startedAt + (index * 1_000) / options.perSecond);
      const before = performance.now();
      await session.send(messages.numbered(index));
      latencies[index] = performance.now() - before;
      if (options.perSecond) sentAt[index] = session.sentAt;
    }
    const endedAt = now();
    await session.send([line('QUIT', 221)]);
    session.socket.end();
    if (!session.broken) await once(session.socket, 'close');
    return endedAt;
  };
  const ends = await Promise.all(Array.from({ length: options.sessions }, sendAll));
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    accepted: options.count,
    startedAt,
    endedAt: Math.max(...ends),
    latency: percentiles(latencies),
    cpuSeconds: (user + system) / 1e6,
    sentAt: [...sentAt],
  };
}

/** @param {number} at milliseconds of the machine's clock */
async function until(at) {
  const left = at - now();
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
}

if (process.send && process.argv[1] === new URL(import.meta.url).pathname) {
  process.send(await loadSmtp(JSON.parse(process.argv[2])));
  process.disconnect();
}
