// Sends distinct mails over a number of SMTP sessions, command by command as most clients do (no pipelining), and measures
// MAIL..250 of each. In the clear, or with implicit TLS and one login per session.
//   forked by bench/relay.mjs with one argument: SmtpLoadOptions as JSON; sends one SmtpLoadResult
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { percentiles } from '../measure/percentiles.mjs';

/**
 * @typedef {object} SmtpLoadOptions
 * @property {number} port on 127.0.0.1
 * @property {{ user: string, password: string } | null} login with a login the session is TLS from its first byte
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
 * @property {number} startedAt milliseconds since the epoch, before the first connection is opened
 * @property {number} endedAt milliseconds since the epoch, at the last 250
 * @property {import('../measure/percentiles.mjs').Percentiles} latency MAIL..250 in milliseconds
 * @property {number} cpuSeconds of this load generator
 * @property {number[]} sentAt milliseconds since the epoch at which the last octet of each mail was written; empty without `perSecond`
 */

const now = () => performance.timeOrigin + performance.now();

/** One session: one command, one reply. */
class Session {
  text = '';
  /** @type {{ resolve: (reply: string) => void, reject: (error: Error) => void } | null} */
  waiting = null;
  /** @type {Error | null} */
  broken = null;

  /** @param {SmtpLoadOptions} options */
  constructor({ port, login }) {
    const to = { port, host: '127.0.0.1' };
    this.socket = login ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk) => this.read(chunk));
    this.socket.on('error', (error) => this.fail(error));
    this.socket.on('close', () => this.fail(new Error('the server closed the session')));
  }

  /** @param {Error} error */
  fail(error) {
    this.broken ??= error;
    this.waiting?.reject(error);
  }

  /** @param {Buffer} chunk */
  read(chunk) {
    this.text += chunk.latin1Slice();
    // The last line of a reply has a space after its code (RFC 5321 §4.2.1).
    if (!this.text.endsWith('\r\n') || !/(^|\n)\d{3} [^\n]*\r\n$/.test(this.text)) return;
    const reply = this.text;
    this.text = '';
    const { waiting } = this;
    this.waiting = null;
    waiting?.resolve(reply);
  }

  /** @param {number} code what the reply must begin with @param {() => void} [send] @returns {Promise<void>} */
  async expect(code, send) {
    const reply = await new Promise((resolve, reject) => {
      if (this.broken) return reject(this.broken);
      this.waiting = { resolve, reject };
      send?.();
    });
    if (!reply.startsWith(String(code))) throw new Error(`expected ${code}, the server said: ${reply.trim()}`);
  }

  /** @param {number} code @param {string} line @returns {Promise<void>} */
  command(code, line) {
    return this.expect(code, () => this.socket.write(`${line}\r\n`));
  }

  /** @param {SmtpLoadOptions['login']} login */
  async open(login) {
    await this.expect(220);
    await this.command(250, 'EHLO load.example');
    if (!login) return;
    const secret = Buffer.from(`\0${login.user}\0${login.password}`).toString('base64');
    await this.command(235, `AUTH PLAIN ${secret}`);
  }
}

/** @param {SmtpLoadOptions} options */
export function messageMaker({ from, run, bytes }) {
  const line = 'What you ordered, how it was packed, and the day on which it will arrive.\r\n';
  /** @param {string} number */
  const head = (number) =>
    [
      `From: Bench <${from}>`,
      `To: Reader <reader-${number}@example.com>`,
      `Subject: Order ${number} of ${run}`,
      `Message-ID: <${run}.${Number(number)}@load.example>`,
      'Date: Sat, 03 Jan 2026 10:00:00 +0000',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      '',
      `Order ${number} of ${run}.`,
      '',
    ].join('\r\n');
  const filler = Math.max(0, bytes - head(padded(0)).length - '\r\n.\r\n'.length);
  const body = Buffer.from(line.repeat(Math.ceil(filler / line.length)).slice(0, filler) + '\r\n.\r\n');
  return (/** @type {number} */ index) => ({ number: padded(index), head: head(padded(index)), body });
}

/** @param {number} index */
const padded = (index) => String(index).padStart(8, '0');

/** @param {SmtpLoadOptions} options @returns {Promise<SmtpLoadResult>} */
export async function loadSmtp(options) {
  const make = messageMaker(options);
  const latencies = new Float64Array(options.count);
  const sentAt = new Float64Array(options.perSecond ? options.count : 0);
  let next = 0;
  const cpuBefore = process.cpuUsage();
  const startedAt = now();
  const lane = async () => {
    const session = new Session(options);
    await session.open(options.login);
    for (let index = next++; index < options.count; index = next++) {
      if (options.perSecond) await until(startedAt + (index * 1_000) / options.perSecond);
      const before = performance.now();
      await sendOne(session, options.from, { ...make(index), written: () => (sentAt[index] = now()) });
      latencies[index] = performance.now() - before;
    }
    const endedAt = now();
    session.socket.end('QUIT\r\n');
    await once(session.socket, 'close');
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

/** @param {number} at milliseconds since the epoch */
async function until(at) {
  const left = at - now();
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
}

/** @param {Session} session @param {string} from @param {{ number: string, head: string, body: Buffer, written: () => void }} message */
async function sendOne(session, from, { number, head, body, written }) {
  await session.command(250, `MAIL FROM:<${from}>`);
  await session.command(250, `RCPT TO:<reader-${number}@example.com>`);
  await session.command(354, 'DATA');
  await session.expect(250, () => {
    session.socket.cork();
    session.socket.write(head);
    session.socket.write(body);
    session.socket.uncork();
    written();
  });
}

if (process.send && process.argv[1] === new URL(import.meta.url).pathname) {
  process.send(await loadSmtp(JSON.parse(process.argv[2])));
  process.disconnect();
}
