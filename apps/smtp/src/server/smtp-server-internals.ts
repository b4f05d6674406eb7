import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { scanData, writeData } from './data-reader.js';
import type { ConnectionState } from './smtp-deadlines.js';

// The only file that uses private members of the package smtp-server. `BaseServer` and `BaseConnection` offer them to the
// rest of the program as hooks (abstract methods) and as state with plain names. `smtp-server-internals.spec.ts` pins
// every member that is used here, and `smtp-server-behaviour.spec.ts` the behaviour that is relied on.

const CR = 0x0d;
const LF = 0x0a;

/** Runs one command line; `next` resumes reading. */
export type CommandHandler = (command: Buffer, next: () => void) => void;
export type ConnectionOptions = SMTPConnectionOptions | null | undefined;
/** The address and the parameters of MAIL or RCPT; false: the syntax is wrong. */
export type ParsedPath = ReturnType<SMTPConnection['_parseAddressCommand']>;
type TlsCallback = Parameters<SMTPServer['_upgrade']>[1];

/** An SMTP server whose subclass admits sockets, paces TLS handshakes and creates connections. */
export abstract class BaseServer<C extends BaseConnection> extends SMTPServer {
  /** Accepted sockets by the TLS socket on top of them (implicit TLS). */
  private readonly acceptedByTls = new WeakMap<Socket, Socket>();

  /** Called for each accepted socket, before any TLS handshake; false destroys it. */
  protected abstract admit(socket: Socket): boolean;

  /** An implicit TLS handshake begins when this resolves. */
  protected abstract beforeTlsHandshake(): Promise<void>;

  /** `accepted` is the socket that was admitted; with implicit TLS `socket` is the TLS socket on top of it. */
  protected abstract createConnection(socket: Socket, accepted: Socket, options: ConnectionOptions): C;

  /** Connections that have a session, including those that are being closed. */
  protected openConnections(): Iterable<C> {
    // All of them were made by `connect`.
    return this.connections as Set<unknown> as Set<C>;
  }

  /** Accepted sockets whose implicit TLS handshake has not been completed. */
  protected socketsBeforeTls(): Iterable<Socket> {
    return this._pendingSockets.keys();
  }

  /** Destroys the outermost socket: destroying the accepted one under a running TLS handshake crashes Node.js. */
  protected destroyBeforeTls(accepted: Socket): void {
    this._pendingSockets.get(accepted)?.destroy();
  }

  override connect(socket: Socket, options?: ConnectionOptions): void {
    const connection = this.createConnection(socket, this.acceptedByTls.get(socket) ?? socket, options);
    this.connections.add(connection);
    connection.on('error', (error: Error) => this._onError(error));
    connection.init();
  }

  override _acceptSocket(socket: Socket, handshake: boolean): (() => void) | false {
    if (this.admit(socket)) return super._acceptSocket(socket, handshake);
    socket.on('error', () => undefined);
    socket.destroy();
    return false;
  }

  override _upgrade(socket: Socket, callback: TlsCallback): void {
    // The library listens for errors from the start of the handshake only, and an unhandled one ends the process.
    socket.on('error', () => undefined);
    void this.beforeTlsHandshake().then(() => this.startTlsHandshake(socket, callback));
  }

  private startTlsHandshake(socket: Socket, callback: TlsCallback): void {
    if (socket.destroyed) return callback(new Error('The connection was cut before its TLS handshake'));
    super._upgrade(socket, (error, tlsSocket) => {
      if (tlsSocket) this.acceptedByTls.set(tlsSocket, socket);
      callback(error, tlsSocket);
    });
    const outer = this._pendingSockets.get(socket);
    if (outer) node20TlsWorkaround(outer);
  }
}

/** One SMTP connection whose subclass checks commands and replies, and ends it in time. */
export abstract class BaseConnection extends SMTPConnection {
  /** The TLS socket from the start of its handshake on, before that the plain one. */
  private outerSocket: Socket;
  private greeted = false;
  private commandsRun = 0;
  private readonly handlers = new Map<string, CommandHandler>();

  constructor(server: SMTPServer, socket: Socket, options?: ConnectionOptions) {
    super(server, socket, options);
    this.outerSocket = socket;
  }

  /** Called once, at once: `sendGreeting` sends the banner and opens the session. */
  protected abstract greet(sendGreeting: () => void): void;

  /** Called for each command line, and for each line of a login; `runCommand` has the library execute it. */
  protected abstract commandReceived(line: Buffer, next: () => void): void;

  /** The handler to use for a command; `handler` is the library's. Undefined: there is no such command. */
  protected abstract handlerFor(name: string, handler: CommandHandler | undefined): CommandHandler | undefined;

  /** Parses a MAIL or RCPT line; `parse` is the library's parser. */
  protected abstract parsePath(line: string, parse: (line: string) => ParsedPath): ParsedPath;

  /** STARTTLS is answered, and its handshake begins, when this resolves. */
  protected abstract beforeTlsHandshake(): Promise<void>;

  /** STARTTLS has removed all listeners of the plain socket. */
  protected abstract listenersRemoved(plain: Socket): void;

  /** Neither side has ended the connection: replies can still be sent. */
  get isOpen(): boolean {
    return !this._closing && !this._closed;
  }

  /** The next line answers a 334 of AUTH. */
  get isInLogin(): boolean {
    return this._nextHandler !== false;
  }

  get serverOptions(): SMTPServer['options'] {
    return this._server.options;
  }

  isCommandDisabled(name: string): boolean {
    return this._isDisabled(name);
  }

  isCommandSupported(name: string): boolean {
    return this._isSupported(name);
  }

  /** Commands are answered: the banner was sent, and no TLS handshake is running. */
  protected get acceptsCommands(): boolean {
    return this._ready && !this._upgrading;
  }

  protected get isInTlsHandshake(): boolean {
    return this._upgrading;
  }

  /** The client is sending a message. */
  protected get isReceivingMessage(): boolean {
    return this._parser !== false && this._parser._dataMode;
  }

  /** The client waits for the server: for a reply, or because a message is not read on for want of memory. */
  protected get isAwaitingServer(): boolean {
    if (this._handlerPending) return true;
    if (!this._dataStream) return false;
    return !this.isReceivingMessage || this._dataStream.isPaused();
  }

  state(): ConnectionState {
    const { _parser: parser, isReceivingMessage } = this;
    return {
      loggedIn: Boolean(this.session.user),
      inTlsHandshake: this._upgrading,
      awaitingServer: this.isAwaitingServer,
      commands: this.commandsRun,
      partialLine: parser !== false && !isReceivingMessage && parser._remainder !== '',
      messageOctets: parser !== false && isReceivingMessage ? parser.dataBytes : null,
      oversized: isReceivingMessage && Boolean(this._dataStream && this._dataStream.sizeExceeded),
      unreadReplies: this._socket.writableNeedDrain,
      octets: this._socket.bytesRead + this._socket.bytesWritten,
    };
  }

  protected runCommand(line: Buffer, next: () => void): void {
    this.commandsRun += 1;
    super._onCommand(line, next);
  }

  /** The next line is a command again. */
  protected endLogin(): void {
    this._nextHandler = false;
  }

  protected destroySocket(): void {
    this.outerSocket.destroy();
  }

  override init(): void {
    super.init();
    this.connectionReady();
  }

  /** The library's own timer calls this too, 100 ms after `init`. */
  override connectionReady(next?: () => void): void {
    if (this.greeted) return;
    this.greeted = true;
    this.greet(() => super.connectionReady(next));
  }

  override _createParser(): SMTPStream {
    return readLinesFast(readDataFast(super._createParser()));
  }

  override _onCommand(line: Buffer, next: () => void = () => undefined): void {
    this.commandReceived(line, next);
  }

  /** The library calls this several times for each command. */
  override _getHandler(name: string): CommandHandler | undefined {
    const handler = this.handlers.get(name) ?? this.handlerFor(name, super._getHandler(name)?.bind(this));
    if (handler) this.handlers.set(name, handler);
    return handler;
  }

  override _parseAddressCommand(name: string, command: Buffer | string): ParsedPath {
    return this.parsePath(command.toString(), (line) => super._parseAddressCommand(name, line));
  }

  /** Parameters of a refused MAIL do not apply to the next one; the library would keep them. */
  override handler_MAIL(command: Buffer, next: () => void): void {
    if (!this.session.envelope.mailFrom) this._resetSession();
    super.handler_MAIL(command, next);
  }

  override handler_STARTTLS(command: Buffer, next: () => void): void {
    void this.beforeTlsHandshake().then(() => this.isOpen && super.handler_STARTTLS(command, next));
  }

  /**
   * The only place where the library shows the TLS socket of a STARTTLS before its handshake is done. No timer is armed:
   * every octet would prolong it, and `DeadlineTracker` watches for silence.
   */
  override _armTimeout(socket: Socket = this._socket): void {
    if (socket !== this.outerSocket) node20TlsWorkaround(socket);
    this.outerSocket = socket;
  }

  override upgrade(callback: () => void, secureCallback?: () => void): void {
    const plain = this._socket;
    super.upgrade(callback, secureCallback);
    this.listenersRemoved(plain);
  }
}

/**
 * Gives the parser a short path for the usual case: one command line, whole and alone. It saves a copy and a search by
 * regular expression. The library parses everything else.
 */
export function readLinesFast(parser: SMTPStream): SMTPStream {
  const parse = parser._write.bind(parser);
  parser._write = (chunk, encoding, next) => {
    if (!isOneLine(chunk, parser)) return parse(chunk, encoding, next);
    const end = chunk.length - (chunk[chunk.length - 2] === CR ? 2 : 1);
    parser.oncommand(chunk.subarray(0, end), () => next());
  };
  return parser;
}

function isOneLine(chunk: Buffer, parser: SMTPStream): boolean {
  if (parser._dataMode || parser.isClosed || parser._remainder !== '') return false;
  return chunk.length > 0 && chunk.length <= parser._maxCommandLength && chunk.indexOf(LF) === chunk.length - 1;
}

/**
 * Gives the parser a faster reading of the data phase, with the same result: `scanData` instead of a comparison per octet,
 * no copy to look across the seam of two chunks, and no turn of the event loop for each escaped dot. How the data begin
 * and end stays with the library.
 */
export function readDataFast(parser: SMTPStream): SMTPStream {
  const parse = parser._feedDataStream.bind(parser);
  parser._feedDataStream = (chunk, done) => {
    const held = parser._lastBytes || Buffer.alloc(0);
    if (parser._atDataStart && (held[0] ?? chunk[0]) === 0x2e) return parse(chunk, done);
    const scanned = scanData(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
    const { content, after } = scanned;
    parser._lastBytes = scanned.held;
    parser._countDataBytes(content.length);
    if (after === null) return writeData(parser._dataStream, { content, received: parser.dataBytes }, done);
    parser._lastBytes = false;
    parser._endDataMode(content, after, done);
  };
  return parser;
}

/**
 * Node.js 20 reads freed memory when a destroyed TLS socket is asked for its protocol, and the process ends with a
 * segmentation fault. The library asks whenever a handshake is cut, by the client or by a stop.
 */
function node20TlsWorkaround(socket: Socket): void {
  if (!(socket instanceof TLSSocket)) return;
  const getProtocol = socket.getProtocol.bind(socket);
  socket.getProtocol = () => (socket.destroyed ? null : getProtocol());
}
