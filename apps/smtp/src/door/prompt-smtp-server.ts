import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { ConnectionCounts } from './connection-counts.js';
import { guardProtocol } from './guard-protocol.js';
import type { Deadlines } from './phase-clock.js';
import { PromptConnection, type Arrival } from './prompt-connection.js';
import { endings, handshakes } from './turns.js';

/** How often deadlines are looked at: one walk over all connections, no timer of their own. */
const WALK_MS = 1_000;
const STOP_WALK_MS = 50;
/** What a message that is coming in has to end when the server stops. */
const STOP_PATIENCE_MS = 5_000;

type Upgraded = (error: Error | null, tlsSocket?: TLSSocket) => void;

/** What a door is, beside the library's options. */
export interface Door {
  deadlines: Deadlines;
  connections: ConnectionCounts;
  walkMs?: number;
}

/**
 * smtp-server with some habits changed:
 * - the banner comes at once; the library waits 100 ms for early talkers, which caps a client that opens a connection
 *   per mail at ten mails a second (a submission port asks for a login anyway);
 * - replies are put right (`replies`), and what the library lets pass is refused (`commands`). AUTH is not disabled before
 *   TLS: with AUTH disabled the library takes MAIL FROM without a login;
 * - time-outs are absolute (`PhaseClock`), from the first packet on, TLS handshakes included, and none has a timer of its
 *   own: the library's `socketTimeout` is not used;
 * - connections are counted when they come in, not when their TLS handshake is done;
 * - command lines are read by `readLinesFast` and the data phase by `readDataFast`, and messages share a bounded memory (`MessageRoom`);
 * - a stop ends idle connections at once, and lets a message that is coming in come.
 */
export class PromptSmtpServer extends SMTPServer {
  private readonly arrivals = new WeakMap<Socket, Arrival>();
  private walking: NodeJS.Timeout | undefined;

  constructor(
    options: SMTPServerOptions,
    private readonly door: Door,
  ) {
    super(options);
    // Without this listener one TCP reset in the middle of DATA ends the process.
    this.on('error', () => undefined);
    this.walking = setInterval(() => this.walk(), door.walkMs ?? WALK_MS);
    this.walking.unref();
  }

  override connect(socket: Socket, options?: SMTPConnectionOptions | null): void {
    const arrival = this.arrivals.get(socket) as Arrival;
    const connection = new PromptConnection(this, socket, arrival, this.door.deadlines, options);
    this.connections.add(connection);
    connection.on('error', (error: Error) => this._onError(error));
    connection.init();
  }

  /** The library's own ones wait for a turn of the loop, and a client that speaks within it "talks too soon". */
  override onConnect(_session: SMTPServerSession, done: () => void): void {
    done();
  }
  override onSecure(_socket: Socket, _session: SMTPServerSession, done: () => void): void {
    done();
  }

  override _acceptSocket(socket: Socket, handshake: boolean): (() => void) | false {
    const { connections } = this.door;
    const address = socket.remoteAddress ?? '';
    const welcome = connections.enter(address);
    let here = true;
    const left = () => {
      if (here) connections.leave(address);
      here = false;
    };
    socket.once('close', left);
    this.arrivals.set(socket, { at: performance.now(), welcome, left });
    if (welcome !== 'cut') return super._acceptSocket(socket, handshake);
    socket.on('error', () => undefined);
    socket.destroy();
    return false;
  }

  override _upgrade(socket: Socket, callback: Upgraded): void {
    // Until the library listens, a client that goes away must not end the process.
    socket.on('error', () => undefined);
    void handshakes.pass(1).then(() => this.upgradeNow(socket, callback));
  }

  private upgradeNow(socket: Socket, callback: Upgraded): void {
    if (socket.destroyed) return callback(new Error('The connection was cut before its TLS handshake'));
    super._upgrade(socket, (error, tlsSocket) => {
      if (tlsSocket) this.arrivals.set(tlsSocket, this.arrivals.get(socket) as Arrival);
      callback(error, tlsSocket);
    });
    const outermost = this._pendingSockets.get(socket);
    if (outermost) guardProtocol(outermost);
  }

  /** Takes nothing new and lets what comes in come, for a few seconds; resolves when nobody is left, or cut off. */
  async stop(): Promise<void> {
    clearInterval(this.walking);
    const begun = performance.now();
    const sweep = (): void => {
      const patient = performance.now() - begun < STOP_PATIENCE_MS;
      for (const connection of this.prompt()) connection.endForStop(patient);
    };
    const closed = new Promise<void>((resolve) => this.close(() => resolve()));
    sweep();
    const sweeping = setInterval(sweep, STOP_WALK_MS);
    await closed;
    clearInterval(sweeping);
  }

  private walk(): void {
    const now = performance.now();
    for (const socket of this._pendingSockets.keys()) {
      const { at } = this.arrivals.get(socket) as Arrival;
      if (now - at >= this.door.deadlines.handshake) this.endPending(socket);
    }
    for (const connection of this.prompt()) connection.endIfLate(now);
  }

  /** Its handshake may begin or end before its turn comes: the outermost socket of that moment goes, if any. */
  private endPending(socket: Socket): void {
    void endings.pass(1).then(() => this._pendingSockets.get(socket)?.destroy());
  }

  private prompt(): Iterable<PromptConnection> {
    // All of them were made by `connect`.
    return this.connections as Set<unknown> as Set<PromptConnection>;
  }
}
