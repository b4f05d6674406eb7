import { logIn, ReplyReader, type RawReply } from '#libs/mta';
import type { X509Certificate } from 'node:crypto';
import net from 'node:net';
import tls from 'node:tls';

/** A server, and the last step of the dialogue with it. No mail is sent. */
export interface SmtpProbeOptions {
  address: string;
  port: number;
  /** For SNI and the check of the certificate. */
  host: string;
  /** Local address. */
  from?: string;
  isImplicitTls?: boolean;
  /** The name for EHLO; without it only the greeting is read. */
  ehlo?: string;
  /** Logs in once, over TLS only; with `isProofNeeded` only when the certificate proves the name. */
  login?: { user: string; password: string; isProofNeeded: boolean };
  signal: AbortSignal;
}

export interface SmtpProbe {
  /** The greeting. */
  code: number | null;
  text: string;
  /** The reply to EHLO in upper case; with TLS the one after the handshake. */
  extensions: string[];
  offersStarttls: boolean;
  /** The reply to the login; null: there was none. */
  login: RawReply | null;
  /** Null: no TLS. */
  tls: { isTrusted: boolean; problem: string | null; certificate: X509Certificate | null } | null;
}

const TIMEOUT_MS = 9_000;

/** @throws Error with a code (ETIMEDOUT, ECONNREFUSED, …) or a sentence when the server does not reply as SMTP requires. */
export async function probeSmtp(options: SmtpProbeOptions): Promise<SmtpProbe> {
  const connection = new SmtpConnection(options);
  try {
    return await converse(connection, options);
  } finally {
    connection.close();
  }
}

async function converse(connection: SmtpConnection, options: SmtpProbeOptions): Promise<SmtpProbe> {
  const { ehlo, isImplicitTls = false } = options;
  if (isImplicitTls) await connection.startTls();
  const { code, raw } = await connection.nextReply();
  const greeting = { code, text: raw.trim() };
  const probe = { ...greeting, extensions: [] as string[], offersStarttls: false, login: null as RawReply | null };
  if (ehlo === undefined || code !== 220) return { ...probe, tls: connection.tls };
  probe.extensions = extensionsOf(await connection.command(`EHLO ${ehlo}`));
  probe.offersStarttls = probe.extensions.includes('STARTTLS');
  if (!isImplicitTls && probe.offersStarttls && (await connection.command('STARTTLS')).code === 220) {
    await connection.startTls();
    probe.extensions = extensionsOf(await connection.command(`EHLO ${ehlo}`));
  }
  probe.login = await tryLogin(connection, options, probe.extensions);
  return { ...probe, tls: connection.tls };
}

async function tryLogin(
  connection: SmtpConnection,
  { login }: SmtpProbeOptions,
  extensions: readonly string[],
): Promise<RawReply | null> {
  if (login === undefined || connection.tls === null || (login.isProofNeeded && !connection.tls.isTrusted)) return null;
  return logIn(login, new Set(mechanismsOf(extensions)), (command) => connection.command(command));
}

/** The mechanisms of the AUTH extension (RFC 4954 §3); null: the server does not offer AUTH. */
export function mechanismsOf(extensions: readonly string[]): string[] | null {
  const offer = extensions.find((extension) => /^AUTH\b/.test(extension));
  return offer?.split(/[ =]/).slice(1) ?? null;
}

const extensionsOf = ({ raw }: RawReply): string[] =>
  raw
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.slice(4).toUpperCase());

/** One connection with one command at a time. The time limit covers all of it. */
class SmtpConnection {
  tls: SmtpProbe['tls'] = null;
  private socket: net.Socket;
  private reader = this.newReader();
  private readonly replies: RawReply[] = [];
  private failure: Error | null = null;
  private wake: () => void = () => undefined;
  private readonly timer = setTimeout(() => this.fail(coded('ETIMEDOUT', 'no answer in time')), TIMEOUT_MS);
  private readonly onAbort = (): void => this.fail(coded('ETIMEDOUT', 'no answer in time'));

  constructor(private readonly options: SmtpProbeOptions) {
    const { address, port, from, signal } = options;
    this.socket = net.connect({ host: address, port, ...(from === undefined ? {} : { localAddress: from }) });
    this.listen(this.socket);
    signal.addEventListener('abort', this.onAbort, { once: true });
  }

  command(line: string): Promise<RawReply> {
    this.socket.write(`${line}\r\n`);
    return this.nextReply();
  }

  async nextReply(): Promise<RawReply> {
    await this.until(() => this.replies.length > 0);
    return this.replies.shift() as RawReply;
  }

  async startTls(): Promise<void> {
    this.reader.stop();
    this.reader = this.newReader();
    const { host } = this.options;
    const name = net.isIP(host) === 0 ? { servername: host } : {};
    const socket = tls.connect({ socket: this.socket, ...name, rejectUnauthorized: false });
    this.socket.removeAllListeners('data');
    this.socket = socket;
    let isSecure = false;
    socket.once('secureConnect', () => {
      isSecure = true;
      this.wake();
    });
    this.listen(socket);
    await this.until(() => isSecure);
    const problem = socket.authorized ? null : String(socket.authorizationError);
    this.tls = { isTrusted: socket.authorized, problem, certificate: socket.getPeerX509Certificate() ?? null };
  }

  close(): void {
    clearTimeout(this.timer);
    this.options.signal.removeEventListener('abort', this.onAbort);
    if (this.failure === null) this.socket.end('QUIT\r\n');
    this.socket.destroySoon();
  }

  private newReader(): ReplyReader {
    return new ReplyReader(
      (reply) => {
        this.replies.push(reply);
        this.wake();
      },
      () => this.fail(new Error('the answer is no SMTP')),
    );
  }

  private listen(socket: net.Socket): void {
    socket.on('data', (chunk: Buffer) => this.reader.push(chunk));
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(coded('ECONNRESET', 'the other side closed the connection')));
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.socket.destroy();
    this.wake();
  }

  private async until(isFulfilled: () => boolean): Promise<void> {
    while (!isFulfilled()) {
      if (this.failure !== null) throw this.failure;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

const coded = (code: string, message: string): Error => Object.assign(new Error(message), { code });
