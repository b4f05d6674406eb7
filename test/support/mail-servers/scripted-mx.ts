import net from 'node:net';
import { cut, MxDialogue } from './mx-dialogue.js';
import type { MxAction, MxContext, MxServer, MxMoment, MxScript, MxSession, ReceivedMail } from './mx-script.js';

export { ORDINARY_EXTENSIONS, WITHOUT_PIPELINING } from './mx-script.js';
export type { MxAction, MxContext, MxMoment, MxScript, MxSession, MxStep, ReceivedMail } from './mx-script.js';

/** An SMTP server on loopback that follows a script and writes down what it saw. For tests; it checks nothing. */
export class ScriptedMx implements MxServer {
  readonly mails: ReceivedMail[] = [];
  readonly sessions: MxSession[] = [];
  /** Most connections that were open together. */
  mostOpen = 0;
  script: MxScript;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #counts = new Map<MxMoment, number>();
  readonly #waiting: { count: number; resolve: () => void }[] = [];

  private constructor(script: MxScript) {
    this.script = script;
    this.#server = net.createServer((socket) => this.#onConnection(socket));
  }

  static async start(script: MxScript = {}): Promise<ScriptedMx> {
    const mx = new ScriptedMx(script);
    await new Promise<void>((resolve, reject) => {
      mx.#server.once('error', reject);
      mx.#server.listen(script.port ?? 0, script.host ?? '127.0.0.1', resolve);
    });
    return mx;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Mails that were answered with 2xx. */
  get accepted(): ReceivedMail[] {
    return this.mails.filter((mail) => mail.accepted);
  }

  /** How often a moment came, on all connections. */
  count(moment: MxMoment): number {
    return this.#counts.get(moment) ?? 0;
  }

  /** Resolves once `count` mails were accepted; rejects after `limitMs`. */
  async waitForMails(count: number, limitMs = 15_000): Promise<ReceivedMail[]> {
    if (this.accepted.length < count) {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(new Error(`${this.accepted.length} of ${count} mails within ${limitMs} ms`));
        }, limitMs);
        this.#waiting.push({
          count,
          resolve: () => {
            clearTimeout(timer);
            resolve();
          },
        });
      });
    }
    return this.accepted;
  }

  /** Cuts all open connections, keeps listening. */
  dropConnections(how: 'close' | 'reset' = 'close'): void {
    for (const socket of this.#sockets) cut(socket, how);
  }

  /** Writes bytes to every open connection, e.g. an unasked 421. */
  say(text: string): void {
    for (const socket of this.#sockets) socket.write(text);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** For the dialogue: what to do at a moment. */
  decide(moment: MxMoment, context: Omit<MxContext, 'count'>): MxAction | undefined {
    const count = (this.#counts.get(moment) ?? 0) + 1;
    this.#counts.set(moment, count);
    const step = this.script.on?.[moment];
    return typeof step === 'function' ? step({ ...context, count }) : step;
  }

  /** For the dialogue: keeps a mail. */
  keep(mail: ReceivedMail): void {
    this.mails.push(mail);
    const count = this.accepted.length;
    for (const waiter of this.#waiting.filter((other) => other.count <= count)) {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      waiter.resolve();
    }
  }

  #onConnection(socket: net.Socket): void {
    const session = { id: this.sessions.length + 1, commands: [], serverName: null, tls: false, open: true };
    this.sessions.push(session);
    this.#sockets.add(socket);
    this.mostOpen = Math.max(this.mostOpen, this.#sockets.size);
    socket.on('close', () => {
      session.open = false;
      this.#sockets.delete(socket);
    });
    new MxDialogue(this, session, socket).start();
  }
}
