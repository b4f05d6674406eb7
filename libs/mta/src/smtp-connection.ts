import net from 'node:net';
import tls from 'node:tls';
import type { DeliveryPhase } from './delivery-outcome.js';
import { stuffDots } from './dot-stuffing.js';
import { lineFault, PLACES } from './line-fault.js';
import { ReplyReader } from './reply-reader.js';
import type { RawReply } from './reply-reader.js';
import { SmtpFailure } from './smtp-failure.js';
import { NO_EXTENSIONS } from './smtp-extensions.js';
import type { Extensions } from './smtp-extensions.js';
import type { Target } from './target.js';
import { securedLine } from './tls-policy/secured-line.js';
import type { SecuredLine } from './tls-policy/secured-line.js';

const ignore = (): void => undefined;

/** One for all connections: making it costs as much as several mails. */
let tlsContext: tls.SecureContext | undefined;

/**
 * What one read of any connection brings is worked off before the next read: one place for all of them spares each reply
 * an allocation outside the heap.
 */
const arrived = Buffer.allocUnsafeSlow(64 * 1024);

/** From the last write of a mail until it is known whether the kernel took it at once. */
interface Hold {
  /** What the peer said meanwhile. */
  octets: Buffer[];
  written: () => void;
}

/** How long a peer may take to close after QUIT before we close for it. */
const QUIT_MS = 1000;

/**
 * One TCP connection to an SMTP server: bytes out, replies in, one deadline. It knows no order of commands; the
 * handshake and the transaction do.
 *
 * Invariants: after the first failure nothing is reported any more and the socket is destroyed; `onGone` is called
 * exactly once, when the socket is closed; a limit is absolute for its phase, bytes that drip in do not move it.
 */
export class SmtpConnection {
  onReply: (reply: RawReply) => void = ignore;
  onFailure: (failure: SmtpFailure) => void = ignore;
  onGone: () => void = ignore;

  extensions: Extensions = NO_EXTENSIONS;
  /** What is known of the encrypted line; null in the clear. */
  secured: SecuredLine | null = null;
  /** Our own end of the line; null until TCP stands. */
  localAddress: string | null = null;
  failure: SmtpFailure | null = null;
  /** Transactions begun here. */
  mails = 0;
  /** A transaction was left open (MAIL accepted, no final dot): the next one must begin with RSET. */
  needsReset = false;
  /** End of the attempt that uses the connection, on the clock of `performance.now()`. */
  deadlineAt = Infinity;

  #socket: net.Socket;
  #reader: ReplyReader;
  #phase: DeliveryPhase = 'connect';
  #phaseLimit = 0;
  #phaseEndsAt = Infinity;
  #timer: NodeJS.Timeout | null = null;
  #timerAt = Infinity;
  #gone = false;
  #rested: (() => void) | null = null;
  /** Mail is being written, and not all of it is known to be with the kernel. */
  #isSending = false;
  #hold: Hold | null = null;
  /** The line is gone, and the peer's last words are being read. */
  #isHeard = false;

  constructor(readonly target: Target) {
    this.#reader = this.#newReader();
    const plain: net.Socket = net.connect({
      host: target.address,
      port: target.port,
      noDelay: true,
      ...(target.source === null ? {} : { localAddress: target.source.address }),
      onread: {
        buffer: arrived,
        callback: (length) => {
          this.#take(plain, arrived.subarray(0, length));
          return true;
        },
      },
    });
    this.#socket = plain;
    this.#listen(plain);
  }

  /** Resolves when TCP stands. */
  connected(): Promise<void> {
    const socket = this.#socket;
    return this.#until((done) =>
      socket.once('connect', () => {
        this.localAddress = socket.localAddress ?? null;
        done();
      }),
    );
  }

  /**
   * Starts TLS on the line, with any certificate: the caller judges `secured` before it says a word. What arrived in the
   * clear before is forgotten.
   */
  secure(): Promise<SecuredLine> {
    const plain = this.#socket;
    this.#reader.stop();
    const { host, proof } = this.target;
    const name = proof.kind === 'tlsa' ? proof.names[0] : host;
    const secured = tls.connect({
      socket: plain,
      ...(net.isIP(name) === 0 ? { servername: name } : { host }),
      secureContext: (tlsContext ??= tls.createSecureContext({ minVersion: 'TLSv1.2' })),
      rejectUnauthorized: false,
    });
    this.#reader = this.#newReader();
    this.#socket = secured;
    secured.on('data', (chunk: Buffer) => this.#take(secured, chunk));
    this.#listen(secured);
    return this.#until((done) =>
      secured.once('secureConnect', () => {
        this.secured = securedLine(secured);
        done(this.secured);
      }),
    );
  }

  /** Sends a command line (none: waits for the banner) and resolves with its reply. For the handshake, not for mail. */
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

  /** While a reply is told: another one came with it, so it answers nothing that is asked from here on. */
  get hasUnread(): boolean {
    return this.#reader.isFollowed;
  }

  /** Writes whole command lines. Text is ASCII unless the peer offered SMTPUTF8. */
  send(lines: string): void {
    this.#socket.write(lines, 'utf8');
  }

  /**
   * Writes mail and final dot, a large mail turn by turn; `written` is called once the last byte of the dot was given to the
   * kernel, or when the line breaks while that is not known.
   */
  sendContent(content: readonly Buffer[], written: () => void): void {
    const socket = this.#socket;
    const turns = stuffDots(content);
    this.#isSending = true;
    const goOn = (): void => {
      const { value: pieces, done } = turns.next();
      const last = pieces.length - 1;
      const ended = done ? this.#holdUntilWritten(written) : null;
      socket.cork();
      for (let i = 0; i < last; i += 1) socket.write(pieces[i]);
      socket.write(pieces[last], (error) => {
        // Not all of it went out, whatever the peer says.
        if (error) this.#release(this.#hold);
        else if (ended) ended();
        else setImmediate(goOn);
      });
      socket.uncork();
    };
    goOn();
  }

  /**
   * A mail's last bytes are written: what the peer says is held back until it is known whether the kernel took them at
   * once. Over TLS Node tells that at the end of this turn of the event loop or of the next one, and a quick peer's answer
   * is read before. Returns what to call when they are written.
   */
  #holdUntilWritten(written: () => void): () => void {
    const hold: Hold = {
      octets: [],
      written: () => {
        if (!this.#isSending) return;
        this.#isSending = false;
        written();
        this.#release(hold);
      },
    };
    this.#hold = hold;
    setImmediate(() => this.#release(hold));
    return hold.written;
  }

  #release(hold: Hold | null): void {
    if (hold === null || this.#hold !== hold) return;
    this.#hold = null;
    for (const octets of hold.octets) this.#reader.push(octets);
  }

  /**
   * Begins a phase: it fails after `ms` milliseconds, or earlier at `deadlineAt`. One timer is kept and only moved when
   * it would be late: setting one per reply costs more than reading the reply.
   */
  arm(phase: DeliveryPhase, ms: number): void {
    const now = performance.now();
    this.#rested = null;
    this.#phase = phase;
    this.#phaseLimit = ms;
    this.#phaseEndsAt = Math.min(now + ms, this.deadlineAt);
    if (this.#timerAt > this.#phaseEndsAt) this.#setTimer(now);
  }

  /** Between two mails: `rested` is called after `ms` milliseconds of idleness, nothing fails. */
  rest(ms: number, rested: () => void): void {
    this.deadlineAt = Infinity;
    this.arm('mail', ms);
    this.#rested = rested;
  }

  fail(failure: SmtpFailure): void {
    if (this.failure !== null && !this.#isHeard) return;
    failure.source = this.localAddress;
    this.failure = failure;
    if (this.#isHeard) return;
    this.#clearTimer();
    this.#socket.destroy();
    // Whether the peer has the whole mail is not known: it may, and what it said last counts, a farewell (421) too.
    this.#isHeard = true;
    this.#hold?.written();
    this.#isHeard = false;
    this.onFailure(this.failure);
  }

  /** Breaks the line without a word, e.g. because replies and commands are out of step. */
  abort(text: string): void {
    this.fail(this.#broken(text));
  }

  /** Says QUIT and closes; whatever comes back is not waited for. */
  quit(): void {
    if (this.failure !== null) return;
    this.onReply = ignore;
    this.onFailure = ignore;
    this.send('QUIT\r\n');
    this.#socket.end();
    this.deadlineAt = Infinity;
    this.arm('connect', QUIT_MS);
  }

  #newReader(): ReplyReader {
    return new ReplyReader(
      (reply) => this.onReply(reply),
      () => this.abort('the reply is longer than 64 kB'),
    );
  }

  /** Under TLS the plain socket stays below: its bytes and its end are no longer ours to read. */
  #take(socket: net.Socket, octets: Buffer): void {
    if (socket !== this.#socket) return;
    // Copied: what a plain socket reads into is used again.
    if (this.#hold === null) this.#reader.push(octets);
    else this.#hold.octets.push(Buffer.from(octets));
  }

  #listen(socket: net.Socket): void {
    socket.on('end', () => {
      if (socket === this.#socket) this.abort('the peer closed the connection');
    });
    socket.on('error', (error: NodeJS.ErrnoException) =>
      this.abort(lineFault(error, this.target.source?.address ?? null)),
    );
    socket.on('close', () => {
      this.abort('the connection closed');
      if (this.#gone) return;
      this.#gone = true;
      this.onGone();
    });
  }

  #until<T = void>(begin: (done: (value: T) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.failure !== null) reject(this.failure);
      this.onFailure = reject;
      begin((value) => {
        this.onFailure = ignore;
        resolve(value);
      });
    });
  }

  /** Where in the dialogue we are, in words. */
  #place(): string {
    return this.#isSending && this.#hold === null ? 'in the middle of the mail' : PLACES[this.#phase];
  }

  #broken(text: string): SmtpFailure {
    const early = this.#phase === 'connect';
    const { address, port } = this.target;
    const enhanced = early ? '4.4.1' : '4.4.2';
    return new SmtpFailure({
      phase: this.#phase,
      reply: { code: null, enhanced, text: `${address}:${port} ${this.#place()}: ${text}` },
    });
  }

  #setTimer(now: number): void {
    this.#clearTimer();
    this.#timerAt = this.#phaseEndsAt;
    this.#timer = setTimeout(() => this.#onTimer(), Math.max(0, this.#phaseEndsAt - now));
  }

  #onTimer(): void {
    const now = performance.now();
    this.#timer = null;
    this.#timerAt = Infinity;
    // Timers may fire a fraction of a millisecond early.
    if (now < this.#phaseEndsAt - 1) this.#setTimer(now);
    else if (this.#rested !== null) this.#rested();
    else this.#expire();
  }

  #expire(): void {
    const whole = this.#phaseEndsAt >= this.deadlineAt;
    const { address, port } = this.target;
    const limit = whole ? 'the time for the whole attempt is over' : `no answer within ${this.#phaseLimit} ms`;
    this.fail(
      new SmtpFailure({
        phase: this.#phase,
        timedOut: true,
        reply: {
          code: null,
          enhanced: this.#phase === 'connect' ? '4.4.1' : '4.4.2',
          text: `${address}:${port} ${this.#place()}: ${limit}`,
        },
      }),
    );
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#timerAt = Infinity;
  }
}
