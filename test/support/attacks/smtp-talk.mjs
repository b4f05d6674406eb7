// One end of an SMTP conversation, for the client processes of the tests: as little work as possible, so that a test
// measures the server and not itself.
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

export const FROM = 'orders@sandbox.postloft.test';

/** `from`: the loopback address to come from. `secure`: TLS at once. */
export class Talk {
  #text = '';
  #waiting = null;
  #tail = '';
  openedAt = performance.now();

  constructor(port, { from = '127.0.0.1', secure = false } = {}) {
    this.raw = connect({ port, host: '127.0.0.1', localAddress: from });
    this.raw.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.raw.once('close', () => resolve(performance.now() - this.openedAt)));
    this.follow(secure ? connectTls({ socket: this.raw, rejectUnauthorized: false }) : this.raw);
  }

  follow(stream) {
    this.stream = stream;
    stream.setEncoding('latin1');
    stream.on('data', (piece) => this.#take(piece));
    stream.on('error', () => undefined);
    stream.on('close', () => this.#answer(''));
  }

  /** One whole reply; empty when the connection has ended. */
  reply() {
    if (this.stream.destroyed) return Promise.resolve('');
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#take('');
    });
  }

  say(line) {
    const reply = this.reply();
    this.stream.write(`${line}\r\n`);
    return reply;
  }

  /** STARTTLS; `handshake` false leaves the handshake to the caller. */
  async startTls() {
    await this.say('STARTTLS');
    this.raw.removeAllListeners('data');
    this.follow(connectTls({ socket: this.raw, rejectUnauthorized: false }));
  }

  async logIn(key) {
    await this.reply();
    await this.say('EHLO client.example');
    return this.say(`AUTH PLAIN ${Buffer.from(`\0${FROM}\0${key}`).toString('base64')}`);
  }

  /** Until the server waits for the message. */
  async toData(to = 'somebody@example.com') {
    await this.say(`MAIL FROM:<${FROM}>`);
    await this.say(`RCPT TO:<${to}>`);
    return this.say('DATA');
  }

  /** The reply to the message, which has no final dot yet. */
  async send(message, to) {
    const ready = await this.toData(to);
    if (!ready.startsWith('354')) return ready;
    const reply = this.reply();
    // At once: what is written later waits for the acknowledgement of what was written before.
    this.stream.write(`${message}\r\n.\r\n`, 'latin1');
    return reply;
  }

  /** The last line that was read. */
  get last() {
    return this.#tail.trimEnd().split('\r\n').at(-1);
  }

  reset() {
    this.raw.resetAndDestroy();
  }

  end() {
    this.raw.destroy();
  }

  #take(piece) {
    this.#text += piece;
    this.#tail = (this.#tail + piece).slice(-600);
    const end = /^\d{3}(?: [^\r]*)?\r\n/m.exec(this.#text);
    if (!end) return;
    if (!this.#waiting) return;
    const reply = this.#text.slice(0, end.index + end[0].length).trimEnd();
    this.#text = this.#text.slice(end.index + end[0].length);
    this.#answer(reply);
  }

  #answer(reply) {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.(reply);
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
