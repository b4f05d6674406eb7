import type { Socket } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { checkedHandler, lineProblem, type Handler } from './commands.js';
import type { Welcome } from './connection-counts.js';
import { readDataFast } from './data-reader.js';
import { guardProtocol } from './guard-protocol.js';
import { readLinesFast } from './line-reader.js';
import { PhaseClock, type Deadlines, type Late, type Seen } from './phase-clock.js';
import { blamesNobody, mendedReply, offeredLines, OWN_ENHANCED_CODE } from './replies.js';
import { endings, handshakes, isOpen, noisyCommands } from './turns.js';

/** Refused commands and recipients since the last accepted mail (promises S-23). */
const MAX_ERRORS = 100;
/** Commands of any kind since the last accepted mail: what a hundred recipients need, and a day of NOOPs beside it. */
const MAX_COMMANDS = 2_000;
/** From so many on a client is noisy: what honest ones need for a mail is less. */
const NOISY_ERRORS = 3;
const NOISY_COMMANDS = 110;
/** What a client has to read the last reply, in ms, before its connection is cut. */
const LINGER_MS = 1_000;
/** Of the path of MAIL or RCPT, behind a source route. */
const DOMAIN = /^[^<>]*<[^<>]*@([^@<>]*)>/;

/** RFC 5321 §4.1.2, without angle brackets. */
const QUOTED_LOCAL = /^([^:"]*:\s*<)("(?:[ !#-;=?-[\]-~]|\\[ -;=?-~])*")(?=@)/;
const PLAIN_LOCAL = 'quoted';

/** How a socket came in; `left` is called once, when it is gone. */
export interface Arrival {
  /** Of `performance.now()`. */
  at: number;
  welcome: Welcome;
  left: () => void;
}

/** One conversation, with the habits that `PromptSmtpServer` tells of. */
export class PromptConnection extends SMTPConnection {
  private readonly clock: PhaseClock;
  /** The outermost socket: the TLS one from the first moment of its handshake on. */
  private outermost: Socket;
  private cutting: NodeJS.Timeout | undefined;
  private greeted = false;
  private late = false;
  private commands = 0;
  private commandsSinceMail = 0;
  private errorsSinceMail = 0;
  private readonly handlers = new Map<string, Handler>();

  constructor(
    server: SMTPServer,
    socket: Socket,
    private readonly arrival: Arrival,
    deadlines: Deadlines,
    options?: SMTPConnectionOptions | null,
  ) {
    super(server, socket, options);
    this.outermost = socket;
    this.clock = new PhaseClock(deadlines, arrival.at);
  }

  override init(): void {
    super.init();
    this.connectionReady();
  }

  /** The library's own timer calls this too, 100 ms later: it must then find nothing to do. */
  override connectionReady(next?: () => void): void {
    if (this.greeted) return;
    this.greeted = true;
    if (this.arrival.welcome === 'serve') return super.connectionReady(next);
    this.send(421, '4.7.0 Too many connections from your address');
  }

  override _createParser(): SMTPStream {
    return readLinesFast(readDataFast(super._createParser()));
  }

  /** The next command of a noisy client waits for its turn. */
  override _onCommand(line: Buffer, next?: () => void): void {
    if (!this.isNoisy) return this.takeCommand(line, next);
    void noisyCommands.pass(1).then(() => isOpen(this) && this.takeCommand(line, next));
  }

  private takeCommand(line: Buffer, next: () => void = () => undefined): void {
    // Before the banner and during a handshake the library answers nothing.
    const problem = this._ready && !this._upgrading ? lineProblem(line, this) : null;
    if (problem) {
      this._nextHandler = false;
      this.send(...problem);
      // As the library does between commands: whoever sends a thousand of them leaves the others their turn.
      setImmediate(next);
      return;
    }
    this.commands += 1;
    this.commandsSinceMail += 1;
    if (this.commandsSinceMail > MAX_COMMANDS) return this.send(421, '4.7.0 Too many commands without a mail');
    super._onCommand(line, next);
  }

  /** The library asks for it several times with every command. */
  override _getHandler(name: string): Handler | undefined {
    const handler = this.handlers.get(name) ?? checkedHandler(name, this, super._getHandler(name));
    if (handler) this.handlers.set(name, handler);
    return handler;
  }

  /**
   * What the library makes of a path is put right. It decodes A-labels, and what comes of them may not be taken for a domain
   * any more: some have invisible joiners (RFC 5892 appendix A). It parts a quoted local part at its blanks: where any
   * sender is taken, a plain one stands for it there.
   */
  override _parseAddressCommand(
    name: string,
    command: Buffer | string,
  ): ReturnType<SMTPConnection['_parseAddressCommand']> {
    const line = command.toString();
    const [whole = '', before = '', quoted] =
      (this._server.options.lenientAddressParsing ? QUOTED_LOCAL.exec(line) : null) ?? [];
    const readable = quoted === undefined ? command : `${before}${PLAIN_LOCAL}${line.slice(whole.length)}`;
    const parsed = super._parseAddressCommand(name, readable);
    const [, domain] = DOMAIN.exec(line) ?? [];
    if (!parsed || domain === undefined) return parsed;
    const local = quoted ?? parsed.address.slice(0, parsed.address.lastIndexOf('@'));
    return { ...parsed, address: `${local}@${domain}` };
  }

  /** What a refused MAIL had asked for does not hold for the next one; the library would keep it. */
  override handler_MAIL(command: Buffer, callback: () => void): void {
    if (!this.session.envelope.mailFrom) this._resetSession();
    super.handler_MAIL(command, callback);
  }

  override handler_STARTTLS(command: Buffer, callback: () => void): void {
    void handshakes.pass(1).then(() => isOpen(this) && super.handler_STARTTLS(command, callback));
  }

  /** The one place where a reply leaves. */
  override send(given: number, data?: string | string[] | null, context?: string | false): void {
    if (Array.isArray(data)) return super.send(given, offeredLines(data, this.secure), context);
    const [code, text] = mendedReply(given, data ?? '', this.secure);
    super.send(code, text, OWN_ENHANCED_CODE.test(text) ? false : context);
    if (code === 250 && context === 'DATA_OK') this.commandsSinceMail = this.errorsSinceMail = 0;
    if (code < 400) return;
    if (code === 421) return this.cutSoon();
    if (blamesNobody(text)) return;
    this.errorsSinceMail += 1;
    if (this.errorsSinceMail >= MAX_ERRORS) this.send(421, '4.7.0 Too many errors', false);
  }

  /**
   * The only place where the library shows the TLS socket of a STARTTLS before its handshake is done. No timer is armed: it
   * would be put off with every octet, and the clock knows what silence is.
   */
  override _armTimeout(socket: Socket = this._socket): void {
    if (socket !== this.outermost) guardProtocol(socket);
    this.outermost = socket;
  }

  override upgrade(callback: () => void, secureCallback?: () => void): void {
    const plain = this._socket;
    super.upgrade(callback, secureCallback);
    // The library removes all listeners of the plain socket.
    plain.once('close', this.arrival.left);
  }

  private get isNoisy(): boolean {
    return this.errorsSinceMail >= NOISY_ERRORS || this.commandsSinceMail >= NOISY_COMMANDS;
  }

  /** The client waits for us, not we for it. */
  private get ours(): boolean {
    if (this._handlerPending) return true;
    return Boolean(this._dataStream) && (!this.receiving || (this._dataStream as { isPaused(): boolean }).isPaused());
  }

  /** A message is coming in. */
  private get receiving(): boolean {
    return this._parser !== false && this._parser._dataMode;
  }

  /** Ends the connection, when its turn comes, if the client has had its time. Asked about once a second. */
  endIfLate(now: number): void {
    const late = this.late ? null : this.clock.late(now, this.seen());
    if (!late) return;
    this.late = true;
    void endings.pass(1).then(() => isOpen(this) && this.end(late));
  }

  /** The server stops: whatever waits for its client ends, `patient` lets a message that is coming in come. */
  endForStop(patient: boolean): void {
    if (this.ours || (patient && this.receiving)) return;
    this.end({ code: 421, reply: '4.3.2 The server is shutting down' });
  }

  private end({ code, reply }: Late): void {
    // During a handshake nothing can be said, and tearing the plain socket from under it is not safe.
    if (this._upgrading) {
      this.outermost.destroy();
      return;
    }
    this.send(code, reply);
    this.close();
    this.cutSoon();
  }

  /** The library gives a client whose connection it has ended five seconds to end its side too. */
  private cutSoon(): void {
    this.cutting ??= setTimeout(() => this.outermost.destroy(), LINGER_MS).unref();
  }

  private seen(): Seen {
    const { _parser: parser, receiving } = this;
    return {
      loggedIn: Boolean(this.session.user),
      upgrading: this._upgrading,
      ours: this.ours,
      commands: this.commands,
      lineBegun: parser !== false && !receiving && parser._remainder !== '',
      data: parser !== false && receiving ? parser.dataBytes : null,
      oversized: receiving && Boolean(this._dataStream && this._dataStream.sizeExceeded),
      unread: this._socket.writableNeedDrain,
      octets: this._socket.bytesRead + this._socket.bytesWritten,
    };
  }
}
