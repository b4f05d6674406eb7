import net from 'node:net';

/** A message as a careless server reads it. */
export interface LenientMail {
  recipients: string[];
  /** The octets between DATA and what was taken for the end, as they came. */
  wire: string;
}

/** Everything that some server was ever seen to take for the end of the data. */
const ANY_END = /(?:\r\n|\r|\n)\0?\.\0?(?:\r\r\n|\r\n|\r|\n)/;

/**
 * A server that ends a message at whatever looks like an end: LF.LF, LF.CRLF, CR.CR and so on. What a sender lets slip
 * through comes out here as a second message, or as a command that nobody sent.
 */
export class LenientSink {
  readonly mails: LenientMail[] = [];
  /** Lines in the place of commands that are none. */
  readonly strange: string[] = [];
  /** All octets that came, of all connections. */
  received = '';
  private readonly sockets = new Set<net.Socket>();

  private constructor(private readonly server: net.Server) {}

  static async start({ host = '127.0.0.1', port = 0 } = {}): Promise<LenientSink> {
    const server = net.createServer();
    const sink = new LenientSink(server);
    server.on('connection', (socket) => sink.talk(socket));
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    return sink;
  }

  get port(): number {
    return (this.server.address() as net.AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private talk(socket: net.Socket): void {
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
    let [buffer, recipients, inData] = ['', [] as string[], false];
    const command = (): boolean => {
      const end = /\r\n|\r|\n/.exec(buffer);
      if (!end) return false;
      const line = buffer.slice(0, end.index);
      buffer = buffer.slice(end.index + end[0].length);
      if (/^MAIL|^RSET/i.test(line)) recipients = [];
      if (/^RCPT/i.test(line)) recipients.push(/<(.*)>/.exec(line)?.[1] ?? '');
      if (/^DATA/i.test(line)) {
        inData = true;
        buffer = `\r\n${buffer}`;
      }
      socket.write(`${this.answer(line)}\r\n`);
      return true;
    };
    const data = (): boolean => {
      const end = ANY_END.exec(buffer);
      // One octet more may belong to the end.
      if (!end || (end.index + end[0].length === buffer.length && end[0].endsWith('\r'))) return false;
      this.mails.push({ recipients, wire: buffer.slice(2, end.index) });
      buffer = buffer.slice(end.index + end[0].length);
      inData = false;
      socket.write('250 2.0.0 taken\r\n');
      return true;
    };
    socket.on('data', (chunk: Buffer) => {
      buffer += chunk.toString('latin1');
      this.received += chunk.toString('latin1');
      while (inData ? data() : command());
    });
    socket.write('220 sink.test ESMTP\r\n');
  }

  private answer(line: string): string {
    const word = line.slice(0, 4).toUpperCase();
    if (word === 'EHLO') return '250-sink.test\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SMTPUTF8';
    if (word === 'DATA') return '354 go on';
    if (word === 'QUIT') return '221 2.0.0 bye';
    if (['MAIL', 'RCPT', 'RSET', 'NOOP', 'HELO'].includes(word)) return '250 2.0.0 ok';
    this.strange.push(line);
    return '500 5.5.1 what';
  }
}
