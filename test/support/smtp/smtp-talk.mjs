// A conversation by hand over SMTP, for tests and for their client processes: octets go out as they are, replies come in
// one at a time. As little work as possible, so that a test measures the server and not itself.
import { connect } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';

export class SmtpTalk {
  pending = '';
  ended = false;
  /** The end of all that came. */
  #tail = '';
  #wake = () => undefined;
  #limitMs;

  constructor(port, { from, secure = false, limitMs = 5_000 } = {}) {
    const openedAt = performance.now();
    this.#limitMs = limitMs;
    this.raw = connect({ port, host: '127.0.0.1', localAddress: from }).setNoDelay(true);
    this.closed = new Promise((resolve) => this.raw.once('close', () => resolve(performance.now() - openedAt)));
    this.#follow(secure ? connectTls({ socket: this.raw, rejectUnauthorized: false }) : this.raw);
  }

  static open(port, from) {
    return new SmtpTalk(port, { from });
  }

  static async loggedIn(port, user, key) {
    const talk = new SmtpTalk(port, { secure: true });
    const answer = await talk.logIn(user, key);
    if (!answer.startsWith('235')) throw new Error(`the login was refused: ${answer}`);
    return talk;
  }

  async logIn(user, key) {
    await this.reply();
    await this.say('EHLO client.example');
    return this.say(`AUTH PLAIN ${Buffer.from(`\0${user}\0${key}`).toString('base64')}`);
  }

  async secure() {
    const secured = connectTls({ socket: this.raw, rejectUnauthorized: false });
    this.#follow(secured);
    await new Promise((resolve, reject) => secured.once('secureConnect', resolve).once('error', reject));
  }

  get certificateName() {
    return this.stream instanceof TLSSocket ? String(this.stream.getPeerCertificate().subject.CN) : '';
  }

  write(octets) {
    this.stream.write(octets);
  }

  async say(line) {
    this.write(`${line}\r\n`);
    return (await this.reply()).join('\n');
  }

  async reply() {
    const deadline = Date.now() + this.#limitMs;
    for (const lines = []; ;) {
      const end = this.pending.indexOf('\r\n');
      if (end >= 0) {
        lines.push(this.pending.slice(0, end));
        this.pending = this.pending.slice(end + 2);
        if (lines.at(-1)[3] !== '-') return lines;
      } else if (this.ended || Date.now() > deadline) {
        throw new Error(this.ended ? 'the connection ended' : `no reply within ${this.#limitMs} ms`);
      } else await this.#more(deadline);
    }
  }

  async end() {
    const deadline = Date.now() + this.#limitMs;
    while (!this.ended && Date.now() < deadline) await this.#more(deadline);
    if (!this.ended) throw new Error('the connection did not end');
  }

  get last() {
    return this.#tail.trimEnd().split('\r\n').at(-1);
  }

  reset() {
    this.raw.resetAndDestroy();
  }

  close() {
    this.raw.destroy();
  }

  #more(deadline) {
    return new Promise((resolve) => {
      const timer = deadline === Infinity ? undefined : setTimeout(resolve, Math.max(1, deadline - Date.now()));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #follow(stream) {
    this.stream = stream;
    stream.on('error', () => undefined);
    stream.on('data', (octets) => {
      if (stream !== this.stream) return;
      const text = octets.toString('latin1');
      this.pending += text;
      this.#tail = (this.#tail + text).slice(-600);
      this.#wake();
    });
    stream.on('close', () => {
      if (stream !== this.stream) return;
      this.ended = true;
      this.#wake();
    });
    stream.on('end', () => stream === this.stream && stream.end());
  }
}
