import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One recipient of one mail that reached its final dot here. */
export interface Arrival {
  subject: string;
  recipient: string;
  /** SHA-256 of the bytes between DATA and the dot, un-stuffed. */
  hash: string;
  /** `Date.now()`. */
  at: number;
}

/** What one session has said so far in its transaction. */
interface Talk {
  recipients: string[];
  inData: boolean;
  buffer: string;
}

const END = '\r\n.\r\n';

/**
 * A receiving server that can be believed: it writes a line per recipient and flushes it to disk before it answers the
 * final dot, `dotMs` later. What it wrote counts as delivered, whatever became of the answer.
 */
export class HonestSink {
  private readonly sockets = new Set<net.Socket>();

  private constructor(
    private readonly server: net.Server,
    private readonly dir: string,
    private readonly arrivalsFile: number,
    private readonly dotMs: number,
  ) {}

  static async start(dotMs: number): Promise<HonestSink> {
    const dir = mkdtempSync(join(tmpdir(), 'postloft-sink-'));
    const server = net.createServer();
    const sink = new HonestSink(server, dir, openSync(join(dir, 'arrivals'), 'a'), dotMs);
    server.on('connection', (socket) => sink.talk(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return sink;
  }

  get port(): number {
    return (this.server.address() as net.AddressInfo).port;
  }

  /** In the order in which they came. */
  arrivals(): Arrival[] {
    const lines = readFileSync(join(this.dir, 'arrivals'), 'utf8').split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line) as Arrival);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
    closeSync(this.arrivalsFile);
    rmSync(this.dir, { recursive: true, force: true });
  }

  private talk(socket: net.Socket): void {
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
    const talk: Talk = { recipients: [], inData: false, buffer: '' };
    socket.on('data', (chunk: Buffer) => {
      talk.buffer += chunk.toString('latin1');
      while (talk.inData ? this.readMail(talk, socket) : this.readCommand(talk, socket));
    });
    socket.write('220 sink.test ESMTP\r\n');
  }

  /** True when there may be more to read. */
  private readCommand(talk: Talk, socket: net.Socket): boolean {
    const end = talk.buffer.indexOf('\r\n');
    if (end === -1) return false;
    const line = talk.buffer.slice(0, end);
    talk.buffer = talk.buffer.slice(end + 2);
    socket.write(`${this.answer(talk, line)}\r\n`);
    if (/^QUIT/i.test(line)) socket.end();
    return true;
  }

  private answer(talk: Talk, line: string): string {
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        return '250-sink.test\r\n250-PIPELINING\r\n250 8BITMIME';
      case 'MAIL':
      case 'RSET':
        talk.recipients = [];
        return '250 2.0.0 ok';
      case 'RCPT':
        talk.recipients.push(/<(.*)>/.exec(line)?.[1] ?? '');
        return '250 2.1.5 ok';
      case 'DATA':
        talk.inData = true;
        // The line end of DATA counts as the one before the first line.
        talk.buffer = `\r\n${talk.buffer}`;
        return '354 go on';
      case 'QUIT':
        return '221 2.0.0 bye';
      default:
        return '500 5.5.1 what';
    }
  }

  private readMail(talk: Talk, socket: net.Socket): boolean {
    const end = talk.buffer.indexOf(END);
    if (end === -1) return false;
    const content = talk.buffer.slice(2, end + 2).replaceAll('\r\n..', '\r\n.');
    talk.buffer = talk.buffer.slice(end + END.length);
    talk.inData = false;
    this.writeDown(content, talk.recipients);
    setTimeout(() => socket.writable && socket.write('250 2.0.0 taken\r\n'), this.dotMs);
    return true;
  }

  private writeDown(content: string, recipients: readonly string[]): void {
    const subject = /^Subject: (.*)$/m.exec(content)?.[1]?.trim() ?? '';
    const hash = createHash('sha256').update(content, 'latin1').digest('hex');
    const line = (recipient: string) => JSON.stringify({ subject, recipient, hash, at: Date.now() } satisfies Arrival);
    writeSync(this.arrivalsFile, recipients.map((recipient) => `${line(recipient)}\n`).join(''));
    fsyncSync(this.arrivalsFile);
  }
}
