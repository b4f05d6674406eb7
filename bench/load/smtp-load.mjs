// Sends distinct mails over a number of SMTP sessions, command by command as most clients do (no pipelining), and measures
// MAIL..250 of each. What it takes of the processor the measured system cannot have: all octets of a mail are there before the
// load begins but for its number, and replies are read into one buffer per session.
//   forked by bench/relay.mjs with one argument: SmtpLoadOptions as JSON; sends one SmtpLoadResult
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { now } from '../measure/clock.mjs';
import { percentiles } from '../measure/percentiles.mjs';

/**
 * @typedef {object} SmtpLoadOptions
 * @property {number} port on 127.0.0.1
 * @property {boolean} [tls] from the first byte; left out: where there is a login
 * @property {{ user: string, password: string } | null} login once per session
 * @property {string} from address of an active domain
 * @property {string} run part of every Message-ID, so that the sink knows whose mail it is
 * @property {number} count
 * @property {number} sessions
 * @property {number} bytes size of one message, headers included
 * @property {number} [perSecond] mails are sent at this pace, however fast they are taken; left out: as fast as they are taken
 */
/**
 * @typedef {object} SmtpLoadResult
 * @property {number} accepted
 * @property {number} startedAt milliseconds of the machine's clock, before the first connection is opened
 * @property {number} endedAt milliseconds of the machine's clock, at the last 250
 * @property {import('../measure/percentiles.mjs').Percentiles} latency MAIL..250 in milliseconds
 * @property {number} cpuSeconds of this load generator
 * @property {number[]} sentAt milliseconds of the machine's clock at which the last octet of each mail was written; empty without `perSecond`
 */
/** @typedef {{ octets: Buffer, code: number }} Line what is said, and the code that its reply has to have */

/** Longer than any reply but EHLO's, which may come in pieces. */
const REPLY_BUFFER = 4_096;
const LF = 10;
const SPACE = 32;
const ZERO = 48;
/** Where the number of a mail goes, with its zeros. */
const NUMBER = '########';

/** One session: one command, one reply. */
class Session {
  /** @type {readonly Line[]} those before `next` are said */
  lines = [];
  next = 0;
  /** Of a reply that is not one line in one piece. */
  text = '';
  /** When the last line was said, by the machine's clock. */
  saidAt = 0;
  /** @type {{ resolve: () => void, reject: (error: Error) => void } | null} */
  waiting = null;
  /** @type {Error | null} */
  broken = null;

  /** @param {SmtpLoadOptions} options */
  constructor({ port, login, tls = login !== null }) {
    const onread = { buffer: Buffer.allocUnsafeSlow(REPLY_BUFFER), callback: this.read.bind(this) };
    const to = { port, host: '127.0.0.1', onread };
    // The types know `onread` in the clear alone.
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

  /** Each line after the reply to the one before. @param {readonly Line[]} lines @returns {Promise<void>} at the reply to the last */
  say(lines) {
    return new Promise((resolve, reject) => {
      if (this.broken) return reject(this.broken);
      this.waiting = { resolve, reject };
      this.lines = lines;
      this.next = 0;
      this.sayNext();
    });
  }

  sayNext() {
    const { octets } = this.lines[this.next++];
    if (octets.length > 0) this.socket.write(octets);
    if (this.next === this.lines.length) this.saidAt = now();
  }

  replied() {
    if (this.next < this.lines.length) this.sayNext();
    else this.waiting?.resolve();
  }

  /** @param {number} length @param {Uint8Array} buffer @returns {boolean} to be given more */
  read(length, buffer) {
    const { code } = this.lines[this.next - 1];
    const isOneLine = this.text === '' && buffer[3] === SPACE && buffer.indexOf(LF) === length - 1;
    if (isOneLine && codeOf(buffer) === code) this.replied();
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
    if (reply.startsWith(String(code))) this.replied();
    else this.fail(new Error(`expected ${code}, the server said: ${reply.trim()}`));
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

/** The lines of one mail after the other: the same octets, with another number in them. */
class Mails {
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

  /** Not before the one before is taken. @param {number} index @returns {readonly Line[]} */
  numbered(index) {
    for (const { octets, at } of this.places)
      for (let digit = NUMBER.length - 1, rest = index; digit >= 0; digit -= 1, rest = Math.floor(rest / 10))
        octets[at + digit] = ZERO + (rest % 10);
    return this.lines;
  }
}

/** @param {{ from: string, run: string, bytes: number }} what @returns {string} with its end of data but for the line end */
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
  const lane = async () => {
    const session = new Session(options);
    await session.say(opening(options.login));
    const mails = new Mails(options);
    for (let index = next++; index < options.count; index = next++) {
      if (options.perSecond) await until(startedAt + (index * 1_000) / options.perSecond);
      const before = performance.now();
      await session.say(mails.numbered(index));
      latencies[index] = performance.now() - before;
      if (options.perSecond) sentAt[index] = session.saidAt;
    }
    const endedAt = now();
    await session.say([line('QUIT', 221)]);
    session.socket.end();
    if (!session.broken) await once(session.socket, 'close');
    return endedAt;
  };
  const ends = await Promise.all(Array.from({ length: options.sessions }, lane));
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
