import net from 'node:net';
import { until } from '../timing/until.js';
import { cut, MxConnection } from './mx-connection.js';
import type { MxAction, MxContext, MxMoment, MxScript, MxServer, MxSession, ReceivedMail } from './mx-script.js';

export { inTurn, ORDINARY_EXTENSIONS, WITHOUT_PIPELINING } from './mx-script.js';
export type { MxAction, MxMoment, MxScript, MxStep, ReceivedMail } from './mx-script.js';

/** An SMTP server on loopback that follows a script and writes down what it saw. For tests; it checks nothing. */
export class ScriptedMx implements MxServer {
  readonly mails: ReceivedMail[] = [];
  readonly sessions: MxSession[] = [];
  /** Most connections that were open together. */
  mostOpen = 0;
  floods = 0;
  private readonly server: net.Server;
  private readonly sockets = new Set<net.Socket>();
  private readonly counts = new Map<MxMoment, number>();

  private constructor(public script: MxScript) {
    this.server = net.createServer((socket) => this.onConnection(socket));
  }

  static async start(script: MxScript = {}): Promise<ScriptedMx> {
    const mx = new ScriptedMx(script);
    await new Promise<void>((resolve, reject) => {
      mx.server.once('error', reject);
      mx.server.listen(script.port ?? 0, script.host ?? '127.0.0.1', resolve);
    });
    return mx;
  }

  get port(): number {
    return (this.server.address() as net.AddressInfo).port;
  }

  /** Mails that were answered with 2xx. */
  get accepted(): ReceivedMail[] {
    return this.mails.filter((mail) => mail.accepted);
  }

  /** How often a moment came, on all connections. */
  count(moment: MxMoment): number {
    return this.counts.get(moment) ?? 0;
  }

  /** Resolves once `count` mails were accepted; rejects after `limitMs`. */
  async waitForMails(count: number, limitMs = 15_000): Promise<ReceivedMail[]> {
    const arrived = async () => this.accepted.length >= count;
    await until(arrived, { withinMs: limitMs, everyMs: 5, what: `${count} mails at the server` });
    return this.accepted;
  }

  /** Cuts all open connections, keeps listening. */
  dropConnections(how: 'close' | 'reset' = 'close'): void {
    for (const socket of this.sockets) cut(socket, how);
  }

  /** Writes bytes to every open connection, e.g. an unasked 421. */
  say(text: string): void {
    for (const socket of this.sockets) socket.write(text);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** For a connection: what to do at a moment. */
  decide(moment: MxMoment, context: Omit<MxContext, 'count'>): MxAction | undefined {
    const count = this.count(moment) + 1;
    this.counts.set(moment, count);
    const step = this.script.on?.[moment];
    return typeof step === 'function' ? step({ ...context, count }) : step;
  }

  /** For a connection: keeps a mail. */
  keep(mail: ReceivedMail): void {
    this.mails.push(mail);
  }

  private onConnection(socket: net.Socket): void {
    const session = { id: this.sessions.length + 1, commands: [], serverName: null, tls: false, open: true };
    this.sessions.push(session);
    this.sockets.add(socket);
    this.mostOpen = Math.max(this.mostOpen, this.sockets.size);
    socket.on('close', () => {
      session.open = false;
      this.sockets.delete(socket);
    });
    new MxConnection(this, session, socket).start();
  }
}
