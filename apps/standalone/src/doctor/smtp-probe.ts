import { logIn, ReplyReader, type RawReply } from '#libs/mta';
import type { X509Certificate } from 'node:crypto';
import net from 'node:net';
import tls from 'node:tls';

/** Where to knock, and how far to go. No mail is sent. */
export interface Knock {
  address: string;
  port: number;
  /** For SNI and the certificate. */
  host: string;
  from?: string;
  isImplicitTls?: boolean;
  /** Says EHLO with this name; without it the greeting is all that is read. */
  ehlo?: string;
  /** Logs in once, over TLS alone, and where `isProofNeeded` only when the certificate proves the name. */
  login?: { user: string; password: string; isProofNeeded: boolean };
  signal: AbortSignal;
}

export interface SmtpProbe {
  /** The greeting. */
  code: number | null;
  text: string;
  /** What EHLO was answered with, in upper case; the last one where TLS was begun. */
  extensions: string[];
  offersStarttls: boolean;
  /** The reply to the login; null where there was none. */
  login: RawReply | null;
  secured: { isTrusted: boolean; problem: string | null; certificate: X509Certificate | null } | null;
}

const LIMIT_MS = 9_000;

/** @throws Error with a code (ETIMEDOUT, ECONNREFUSED, …) or a sentence when the other side does not answer as SMTP does. */
export async function probeSmtp(knock: Knock): Promise<SmtpProbe> {
  const line = new SmtpLine(knock);
  try {
    return await converse(line, knock);
  } finally {
    line.close();
  }
}

async function converse(line: SmtpLine, knock: Knock): Promise<SmtpProbe> {
  const { ehlo, isImplicitTls = false } = knock;
  if (isImplicitTls) await line.secure();
  const { code, raw } = await line.ask(null);
  const greeting = { code, text: raw.trim() };
  const probe = { ...greeting, extensions: [] as string[], offersStarttls: false, login: null as RawReply | null };
  if (ehlo === undefined || code !== 220) return { ...probe, secured: line.secured };
  probe.extensions = extensionsOf(await line.ask(`EHLO ${ehlo}`));
  probe.offersStarttls = probe.extensions.includes('STARTTLS');
  if (!isImplicitTls && probe.offersStarttls && (await line.ask('STARTTLS')).code === 220) {
    await line.secure();
    probe.extensions = extensionsOf(await line.ask(`EHLO ${ehlo}`));
  }
  probe.login = await tryLogin(line, knock, probe.extensions);
  return { ...probe, secured: line.secured };
}

async function tryLogin(line: SmtpLine, { login }: Knock, extensions: readonly string[]): Promise<RawReply | null> {
  if (login === undefined || line.secured === null || (login.isProofNeeded && !line.secured.isTrusted)) return null;
  return logIn(login, new Set(mechanismsOf(extensions)), (command) => line.ask(command));
}

/** What a server that asks for a login takes (RFC 4954 §3); null: it does not ask. */
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

/** One connection, one question at a time, all of it within one time limit. */
class SmtpLine {
  secured: SmtpProbe['secured'] = null;
  private socket: net.Socket;
  private reader = this.newReader();
  private readonly replies: RawReply[] = [];
  private failure: Error | null = null;
  private wake: () => void = () => undefined;
  private readonly timer = setTimeout(() => this.fail(coded('ETIMEDOUT', 'no answer in time')), LIMIT_MS);
  private readonly aborted = (): void => this.fail(coded('ETIMEDOUT', 'no answer in time'));

  constructor(private readonly knock: Knock) {
    const { address, port, from, signal } = knock;
    this.socket = net.connect({ host: address, port, ...(from === undefined ? {} : { localAddress: from }) });
    this.listen(this.socket);
    signal.addEventListener('abort', this.aborted, { once: true });
  }

  /** Sends a command (null: nothing, the greeting comes by itself) and waits for the reply. */
  async ask(command: string | null): Promise<RawReply> {
    if (command !== null) this.socket.write(`${command}\r\n`);
    await this.until(() => this.replies.length > 0);
    return this.replies.shift() as RawReply;
  }

  async secure(): Promise<void> {
    this.reader.stop();
    this.reader = this.newReader();
    const { host } = this.knock;
    const name = net.isIP(host) === 0 ? { servername: host } : {};
    const secured = tls.connect({ socket: this.socket, ...name, rejectUnauthorized: false });
    this.socket.removeAllListeners('data');
    this.socket = secured;
    let isSecured = false;
    secured.once('secureConnect', () => {
      isSecured = true;
      this.wake();
    });
    this.listen(secured);
    await this.until(() => isSecured);
    const problem = secured.authorized ? null : String(secured.authorizationError);
    this.secured = { isTrusted: secured.authorized, problem, certificate: secured.getPeerX509Certificate() ?? null };
  }

  close(): void {
    clearTimeout(this.timer);
    this.knock.signal.removeEventListener('abort', this.aborted);
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

  private async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) {
      if (this.failure !== null) throw this.failure;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

const coded = (code: string, message: string): Error => Object.assign(new Error(message), { code });
