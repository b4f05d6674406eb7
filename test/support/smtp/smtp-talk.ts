import { connect, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';

const REPLY_MS = 5_000;

/** A conversation by hand: octets go out as they are, replies come in one at a time. */
export class SmtpTalk {
  /** What came and was not yet read. */
  pending = '';
  ended = false;
  private wake: (() => void) | undefined;

  private constructor(private socket: Socket) {
    this.listen(socket);
  }

  /** `from`: the loopback address to come from. */
  static open(port: number, from?: string): SmtpTalk {
    return new SmtpTalk(connect({ port, host: '127.0.0.1', localAddress: from }));
  }

  /** Logged in on the port of implicit TLS, as whoever has the key. */
  static async loggedIn(port: number, user: string, key: string): Promise<SmtpTalk> {
    const talk = SmtpTalk.open(port);
    await talk.secure();
    await talk.reply();
    await talk.say('EHLO client.example');
    const answer = await talk.say(`AUTH PLAIN ${Buffer.from(`\0${user}\0${key}`).toString('base64')}`);
    if (!answer.startsWith('235')) throw new Error(`the login was refused: ${answer}`);
    return talk;
  }

  async secure(): Promise<void> {
    const raw = this.socket;
    raw.removeAllListeners('data').removeAllListeners('close').removeAllListeners('end');
    const secured = connectTls({ socket: raw, rejectUnauthorized: false });
    await new Promise<void>((resolve, reject) => secured.once('secureConnect', resolve).once('error', reject));
    this.listen(secured);
  }

  /** Of the certificate that the other side has shown; empty in the clear. */
  get certificateName(): string {
    return this.socket instanceof TLSSocket ? String(this.socket.getPeerCertificate().subject.CN) : '';
  }

  write(octets: Buffer | string): void {
    this.socket.write(octets);
  }

  /** Sends a line; the whole reply as one text. */
  async say(line: string): Promise<string> {
    this.write(`${line}\r\n`);
    return (await this.reply()).join('\n');
  }

  /** The lines of one reply, without line ends. */
  async reply(): Promise<string[]> {
    const deadline = Date.now() + REPLY_MS;
    const lines: string[] = [];
    for (;;) {
      const end = this.pending.indexOf('\r\n');
      if (end >= 0) {
        lines.push(this.pending.slice(0, end));
        this.pending = this.pending.slice(end + 2);
        if (lines.at(-1)?.[3] !== '-') return lines;
      } else if (this.ended || Date.now() > deadline) {
        throw new Error(this.ended ? 'the connection ended' : `no reply within ${REPLY_MS} ms`);
      } else await this.more(deadline);
    }
  }

  /** Resolves once the other side has ended the connection. */
  async end(): Promise<void> {
    const deadline = Date.now() + REPLY_MS;
    while (!this.ended && Date.now() < deadline) await this.more(deadline);
    if (!this.ended) throw new Error('the connection did not end');
  }

  close(): void {
    this.socket.destroy();
  }

  private more(deadline: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(1, deadline - Date.now()));
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private listen(socket: Socket): void {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('data', (octets: Buffer) => {
      this.pending += octets.toString('latin1');
      this.wake?.();
    });
    socket.on('close', () => {
      this.ended = true;
      this.wake?.();
    });
    socket.on('end', () => socket.end());
  }
}
