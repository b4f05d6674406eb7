import type { Socket } from 'node:net';
import { LoopBudget, type Admission } from '#libs/kernel';
import type { SMTPServer } from 'smtp-server';
import { checkedHandler, lineProblem, normaliseGreeting } from './command-checks.js';
import { correctedReply, ehloLines, isNotClientFault, OWN_ENHANCED_CODE, type Reply } from './replies.js';
import { DeadlineTracker, type Deadlines } from './smtp-deadlines.js';
import {
  BaseConnection,
  type CommandHandler,
  type ConnectionOptions,
  type ParsedPath,
} from './smtp-server-internals.js';

/** TLS handshakes per turn of the event loop: one costs more than a mail. */
export const handshakeBudget = new LoopBudget(1);
/** Expired connections that are closed per turn: clients that connect together expire together. */
export const closeBudget = new LoopBudget(4);
/**
 * Commands per turn of all noisy clients together. Nothing is refused, and without other load the wait costs such a client
 * hardly anything. (Postfix delays replies to errors by a second instead, which needs a timer and keeps the connection of
 * an attacker open.)
 */
const noisyCommandBudget = new LoopBudget(1);

/** Refused commands and recipients since the last accepted message. */
const MAX_ERRORS = 100;
/** Commands since the last accepted message: enough for a hundred recipients and a day of NOOPs. */
const MAX_COMMANDS = 2_000;
/** A client is noisy from either number on; a well-behaved client needs less per message. */
const NOISY_ERRORS = 3;
const NOISY_COMMANDS = 110;
/** Time to read the last reply before the connection is destroyed. */
const LINGER_MS = 1_000;
/** The domain in the path of MAIL or RCPT with a plain local part, behind a source route if there is one. */
const PATH_DOMAIN = /^[^<>]*<[^<>]*@([^@<>]*)>/;
/** A MAIL or RCPT line up to a quoted local part (RFC 5321 §4.1.2, RFC 6531 §3.3), behind a source route if there is one. */
const QUOTED_LOCAL_PART = /^([^:"]*:\s*<(?:@[^"<>:]*:)?)("(?:[ !#-[\]-~]|[^\p{C}\p{Z}\0-\x7f]|\\[ -~])*")(?=@)/u;
const PLAIN_LOCAL_PART = 'quoted';

/** An accepted socket and how its connection is met. */
export interface AdmittedSocket {
  /** When it was accepted, as `performance.now()`. */
  at: number;
  admission: Admission;
  /** To be called when the socket is closed; repeated calls do nothing. */
  release: () => void;
}

/** One connection of `SmtpServer`. */
export class SmtpConnection extends BaseConnection {
  private readonly deadlines: DeadlineTracker;
  private destroying: NodeJS.Timeout | undefined;
  private expired = false;
  private commandsSinceMail = 0;
  private errorsSinceMail = 0;

  constructor(
    server: SMTPServer,
    socket: Socket,
    private readonly admitted: AdmittedSocket,
    deadlines: Deadlines,
    options?: ConnectionOptions,
  ) {
    super(server, socket, options);
    this.deadlines = new DeadlineTracker(deadlines, admitted.at);
  }

  protected override greet(sendGreeting: () => void): void {
    if (this.admitted.admission === 'serve') sendGreeting();
    else this.send(421, '4.7.0 Too many connections from your address');
  }

  protected override commandReceived(line: Buffer, next: () => void): void {
    if (this.isNoisy) void noisyCommandBudget.spend(1).then(() => this.isOpen && this.checkCommand(line, next));
    else this.checkCommand(line, next);
  }

  private get isNoisy(): boolean {
    return this.errorsSinceMail >= NOISY_ERRORS || this.commandsSinceMail >= NOISY_COMMANDS;
  }

  private checkCommand(line: Buffer, next: () => void): void {
    // Otherwise the library answers nothing.
    const problem = this.acceptsCommands ? lineProblem(line, this) : null;
    if (problem) {
      this.endLogin();
      this.send(...problem);
      // Yields as the library does between commands, so that thousands of them do not delay other clients.
      setImmediate(next);
      return;
    }
    this.commandsSinceMail += 1;
    if (this.commandsSinceMail > MAX_COMMANDS) return this.send(421, '4.7.0 Too many commands without a mail');
    this.runCommand(normaliseGreeting(line), next);
  }

  protected override handlerFor(name: string, handler: CommandHandler | undefined): CommandHandler | undefined {
    return checkedHandler(name, this, handler);
  }

  /**
   * Undoes two conversions of the library. It decodes A-labels, and the result may not be a valid domain any more: some
   * contain invisible joiners (RFC 5892 appendix A). It splits a quoted local part at its spaces and at its signs: a plain
   * local part takes its place during parsing.
   */
  protected override parsePath(line: string, parse: (line: string) => ParsedPath): ParsedPath {
    const [whole = '', before = '', quoted] = QUOTED_LOCAL_PART.exec(line) ?? [];
    const plain = quoted === undefined ? line : `${before}${PLAIN_LOCAL_PART}${line.slice(whole.length)}`;
    const parsed = parse(plain);
    const [, domain] = PATH_DOMAIN.exec(plain) ?? [];
    if (!parsed || domain === undefined) return parsed;
    const local = quoted ?? parsed.address.slice(0, parsed.address.lastIndexOf('@'));
    return { ...parsed, address: `${local}@${domain}` };
  }

  protected override beforeTlsHandshake(): Promise<void> {
    return handshakeBudget.spend(1);
  }

  protected override listenersRemoved(plain: Socket): void {
    plain.once('close', this.admitted.release);
  }

  /** The one place where a reply is written. */
  override send(given: number, data?: string | string[] | null, context?: string | false): void {
    if (Array.isArray(data)) return super.send(given, ehloLines(data, this.secure), context);
    const [code, text] = correctedReply(given, data ?? '', this.secure);
    super.send(code, text, OWN_ENHANCED_CODE.test(text) ? false : context);
    if (code === 250 && context === 'DATA_OK') this.commandsSinceMail = this.errorsSinceMail = 0;
    if (code < 400) return;
    if (code === 421) return this.destroySoon();
    if (isNotClientFault(text)) return;
    this.errorsSinceMail += 1;
    if (this.errorsSinceMail >= MAX_ERRORS) this.send(421, '4.7.0 Too many errors', false);
  }

  /** Ends the connection, within the event-loop budget, when a deadline has passed. Called about once a second. */
  endIfExpired(now: number): void {
    const reply = this.expired ? null : this.deadlines.expired(now, this.state());
    if (!reply) return;
    this.expired = true;
    void closeBudget.spend(1).then(() => this.isOpen && this.end(reply));
  }

  /** The server stops: ends the connection unless its client waits for a reply, or, `inGrace`, is sending a message. */
  endForStop(inGrace: boolean): void {
    if (this.isAwaitingServer || (inGrace && this.isReceivingMessage)) return;
    this.end([421, '4.3.2 The server is shutting down']);
  }

  private end([code, text]: Reply): void {
    // No reply can be sent during a handshake, and closing the plain socket under it is not safe.
    if (this.isInTlsHandshake) return this.destroySocket();
    this.send(code, text);
    this.close();
    this.destroySoon();
  }

  /** The library waits five seconds for the client to end its side, too. */
  private destroySoon(): void {
    this.destroying ??= setTimeout(() => this.destroySocket(), LINGER_MS).unref();
  }
}
