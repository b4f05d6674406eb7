import net from 'node:net';
import tls from 'node:tls';
import type { DeliveryPhase } from '../delivery-outcome.js';
import { stuffDots } from './dot-stuffing.js';
import { socketErrorText, PHASE_TEXTS } from './socket-error.js';
import { ReplyReader } from './reply-reader.js';
import type { RawReply } from './reply-reader.js';
import { SmtpFailure } from './failure.js';
import { NO_EXTENSIONS } from './extensions.js';
import type { Extensions } from './extensions.js';
import type { MxEndpoint } from '../routing/mx-endpoint.js';
import { readTlsSession } from '../tls/tls-session.js';
import type { TlsSession } from '../tls/tls-session.js';

const ignore = (): void => undefined;

/** One context for all connections: creating it costs as much as several messages. */
let tlsContext: tls.SecureContext | undefined;

/**
 * Shared by all connections: each read is processed before the next one. This saves an allocation outside the heap per
 * reply.
 */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/** From the last write of a message until it is known whether the kernel accepted it at once. */
interface Hold {
  /** Bytes that the server sent meanwhile. */
  octets: Buffer[];
  written: () => void;
}

/** How long a server may take to close the connection after QUIT before we close it. */
const QUIT_MS = 1000;

/**
 * One TCP connection to an SMTP server: writes bytes, reads replies, has one deadline. The order of commands is the
 * task of the handshake and the transaction.
 *
 * Invariants: after the first failure nothing is reported any more and the socket is destroyed; `onClose` is called
 * exactly once, when the socket is closed; a time limit is absolute for its phase, and bytes that arrive slowly do not
 * extend it.
 */
export class SmtpConnection {
  onReply: (reply: RawReply) => void = ignore;
  onFailure: (failure: SmtpFailure) => void = ignore;
  onClose: () => void = ignore;

  extensions: Extensions = NO_EXTENSIONS;
  /** The TLS session; null in plain text. */
  tlsSession: TlsSession | null = null;
  /** Our own address; null until TCP is connected. */
  localAddress: string | null = null;
  failure: SmtpFailure | null = null;
  /** Number of transactions on this connection. */
  transactions = 0;
  /** A transaction was left open (MAIL accepted, no final dot). The next one must begin with RSET. */
  needsReset = false;
  /** End of the attempt that uses the connection, on the clock of `performance.now()`. */
  deadlineAt = Infinity;

  private socket: net.Socket;
  private reader: ReplyReader;
  private phase: DeliveryPhase = 'connect';
  private phaseLimit = 0;
  private phaseEndsAt = Infinity;
  private timer: NodeJS.Timeout | null = null;
  private timerAt = Infinity;
  private closed = false;
  private onIdleEnd: (() => void) | null = null;
  /** A message is being written, and not all of it is known to be accepted by the kernel. */
  private isSending = false;
  private hold: Hold | null = null;
  /** The connection is lost, and the last bytes of the server are being parsed. */
  private isFinalReply = false;

  constructor(readonly endpoint: MxEndpoint) {
    this.reader = this.newReader();
    const plain: net.Socket = net.connect({
      host: endpoint.address,
      port: endpoint.port,
      noDelay: true,
      ...(endpoint.source === null ? {} : { localAddress: endpoint.source.address }),
      onread: {
        buffer: readBuffer,
        callback: (length) => {
          this.receive(plain, readBuffer.subarray(0, length));
          return true;
        },
      },
    });
    this.socket = plain;
    this.attach(plain);
  }

  /** Resolves when TCP is connected. */
  connected(): Promise<void> {
    const socket = this.socket;
    return this.waitFor((done) =>
      socket.once('connect', () => {
        this.localAddress = socket.localAddress ?? null;
        done();
      }),
    );
  }

  /**
   * Starts TLS and accepts any certificate: the caller verifies the session before it sends a command. Bytes that were
   * received in plain text are discarded.
   */
  secure(): Promise<TlsSession> {
    const plain = this.socket;
    this.reader.stop();
    const { host, requirement } = this.endpoint;
    const name = requirement.kind === 'tlsa' ? requirement.names[0] : host;
    const secured = tls.connect({
      socket: plain,
      ...(net.isIP(name) === 0 ? { servername: name } : { host }),
      secureContext: (tlsContext ??= tls.createSecureContext({ minVersion: 'TLSv1.2' })),
      rejectUnauthorized: false,
    });
    this.reader = this.newReader();
    this.socket = secured;
    secured.on('data', (chunk: Buffer) => this.receive(secured, chunk));
    this.attach(secured);
    return this.waitFor((done) =>
      secured.once('secureConnect', () => {
        this.tlsSession = readTlsSession(secured);
        done(this.tlsSession);
      }),
    );
  }

  /** Sends a command line (null: waits for the greeting) and resolves with its reply. For the handshake only. */
  ask(command: string | null): Promise<RawReply> {
    if (command !== null && this.failure === null) this.send(`${command}\r\n`);
    return new Promise((resolve, reject) => {
      if (this.failure !== null) {
        reject(this.failure);
        return;
      }
      const settle = (): void => {
        this.onReply = ignore;
        this.onFailure = ignore;
      };
      this.onReply = (reply) => {
        settle();
        resolve(reply);
      };
      this.onFailure = (failure) => {
        settle();
        reject(failure);
      };
    });
  }

  /**
   * During `onReply`: another reply followed in the same read, so it cannot answer a command that is sent from now on.
   */
  get hasUnread(): boolean {
    return this.reader.isFollowed;
  }

  /** Writes whole command lines. Text must be ASCII unless the server offers SMTPUTF8. */
  send(lines: string): void {
    this.socket.write(lines, 'utf8');
  }

  /**
   * Writes the message and the final dot, a large message in several turns of the event loop. `written` is called once
   * the last byte of the dot was passed to the kernel, or when the connection is lost before that is known.
   */
  sendContent(content: readonly Buffer[], written: () => void): void {
    const socket = this.socket;
    const turns = stuffDots(content);
    this.isSending = true;
    const writeNext = (): void => {
      const { value: pieces, done } = turns.next();
      const last = pieces.length - 1;
      const ended = done ? this.holdUntilWritten(written) : null;
      socket.cork();
      for (let i = 0; i < last; i += 1) socket.write(pieces[i]);
      socket.write(pieces[last], (error) => {
        // Not all of it was sent, whatever the server replies.
        if (error) this.release(this.hold);
        else if (ended) ended();
        else setImmediate(writeNext);
      });
      socket.uncork();
    };
    writeNext();
  }

  /**
   * Called with the last bytes of a message: replies are held back until it is known whether the kernel accepted the
   * bytes at once. With TLS, Node.js reports that at the end of this or the next turn of the event loop, possibly after
   * a fast reply was read. Returns the function to call when the bytes are written.
   */
  private holdUntilWritten(written: () => void): () => void {
    const hold: Hold = {
      octets: [],
      written: () => {
        if (!this.isSending) return;
        this.isSending = false;
        written();
        this.release(hold);
      },
    };
    this.hold = hold;
    setImmediate(() => this.release(hold));
    return hold.written;
  }

  private release(hold: Hold | null): void {
    if (hold === null || this.hold !== hold) return;
    this.hold = null;
    for (const octets of hold.octets) this.reader.push(octets);
  }

  /**
   * Begins a phase, which fails after `ms` milliseconds or at `deadlineAt`. One timer is reused and only moved if it
   * would fire too late: a new timer per reply would cost more than parsing the reply.
   */
  arm(phase: DeliveryPhase, ms: number): void {
    const now = performance.now();
    this.onIdleEnd = null;
    this.phase = phase;
    this.phaseLimit = ms;
    this.phaseEndsAt = Math.min(now + ms, this.deadlineAt);
    if (this.timerAt > this.phaseEndsAt) this.setTimer(now);
  }

  /** Between two messages: after `ms` milliseconds without use `onIdleEnd` is called, and nothing fails. */
  idle(ms: number, onIdleEnd: () => void): void {
    this.deadlineAt = Infinity;
    this.arm('mail', ms);
    this.onIdleEnd = onIdleEnd;
  }

  fail(failure: SmtpFailure): void {
    if (this.failure !== null && !this.isFinalReply) return;
    failure.source = this.localAddress;
    this.failure = failure;
    if (this.isFinalReply) return;
    this.clearTimer();
    this.socket.destroy();
    // It is unknown whether the server has the whole message. It may have, so its last reply counts, also a 421.
    this.isFinalReply = true;
    this.hold?.written();
    this.isFinalReply = false;
    this.onFailure(this.failure);
  }

  /** Closes the connection without QUIT, for example because replies and commands are out of step. */
  abort(text: string): void {
    this.fail(this.connectionFailure(text));
  }

  /** Sends QUIT and closes. The reply is not awaited. */
  quit(): void {
    if (this.failure !== null) return;
    this.onReply = ignore;
    this.onFailure = ignore;
    this.send('QUIT\r\n');
    this.socket.end();
    this.deadlineAt = Infinity;
    this.arm('connect', QUIT_MS);
  }

  private newReader(): ReplyReader {
    return new ReplyReader(
      (reply) => this.onReply(reply),
      () => this.abort('the reply is longer than 64 kB'),
    );
  }

  /** With TLS the plain socket still exists below; its bytes and its end are not ours to handle. */
  private receive(socket: net.Socket, octets: Buffer): void {
    if (socket !== this.socket) return;
    // Copied, because the read buffer is reused.
    if (this.hold === null) this.reader.push(octets);
    else this.hold.octets.push(Buffer.from(octets));
  }

  private attach(socket: net.Socket): void {
    socket.on('end', () => {
      if (socket === this.socket) this.abort('the peer closed the connection');
    });
    socket.on('error', (error: NodeJS.ErrnoException) =>
      this.abort(socketErrorText(error, this.endpoint.source?.address ?? null)),
    );
    socket.on('close', () => {
      this.abort('the connection closed');
      if (this.closed) return;
      this.closed = true;
      this.onClose();
    });
  }

  private waitFor<T = void>(begin: (done: (value: T) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.failure !== null) reject(this.failure);
      this.onFailure = reject;
      begin((value) => {
        this.onFailure = ignore;
        resolve(value);
      });
    });
  }

  /** The current step of the dialogue, as text. */
  private phaseText(): string {
    return this.isSending && this.hold === null ? 'in the middle of the mail' : PHASE_TEXTS[this.phase];
  }

  private connectionFailure(text: string): SmtpFailure {
    const early = this.phase === 'connect';
    const { address, port } = this.endpoint;
    const enhanced = early ? '4.4.1' : '4.4.2';
    return new SmtpFailure({
      phase: this.phase,
      reply: { code: null, enhanced, text: `${address}:${port} ${this.phaseText()}: ${text}` },
    });
  }

  private setTimer(now: number): void {
    this.clearTimer();
    this.timerAt = this.phaseEndsAt;
    this.timer = setTimeout(() => this.onTimer(), Math.max(0, this.phaseEndsAt - now));
  }

  private onTimer(): void {
    const now = performance.now();
    this.timer = null;
    this.timerAt = Infinity;
    // Timers may fire a fraction of a millisecond early.
    if (now < this.phaseEndsAt - 1) this.setTimer(now);
    else if (this.onIdleEnd !== null) this.onIdleEnd();
    else this.expire();
  }

  private expire(): void {
    const whole = this.phaseEndsAt >= this.deadlineAt;
    const { address, port } = this.endpoint;
    const limit = whole ? 'the time for the whole attempt is over' : `no answer within ${this.phaseLimit} ms`;
    this.fail(
      new SmtpFailure({
        phase: this.phase,
        timedOut: true,
        reply: {
          code: null,
          enhanced: this.phase === 'connect' ? '4.4.1' : '4.4.2',
          text: `${address}:${port} ${this.phaseText()}: ${limit}`,
        },
      }),
    );
  }

  private clearTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.timerAt = Infinity;
  }
}
