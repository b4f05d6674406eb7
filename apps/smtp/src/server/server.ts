import type { Socket } from 'node:net';
import type { IssuedCertificates } from '#libs/certificates';
import type { Config, ConnectionLimiter, TlsFiles } from '#libs/kernel';
import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import { closeBudget, handshakeBudget, SmtpConnection, type AdmittedSocket } from './smtp-connection.js';
import type { Deadlines } from './smtp-deadlines.js';
import { BaseServer, type ConnectionOptions } from './smtp-server-internals.js';

/** How often deadlines are checked: one pass over all connections instead of a timer for each. */
const CHECK_MS = 1_000;
const STOP_CHECK_MS = 50;
/** Time for messages that are being received to end when the server stops. */
const STOP_GRACE_MS = 5_000;
/** The library ends the remaining connections after this time, a second after the grace. */
const CLOSE_TIMEOUT_MS = 6_000;

export interface ListenerSettings {
  deadlines: Deadlines;
  /** Shared by all listeners whose connections are counted together. */
  connections: ConnectionLimiter;
  checkEveryMs?: number;
}

/**
 * The server of the package smtp-server, with these differences:
 * - The banner is sent at once. The library waits 100 ms for clients that talk too early, which limits a client that opens
 *   a connection per mail to ten mails a second (and submission requires a login anyway).
 * - Replies are corrected (`replies.ts`), and syntax that the library accepts against the RFCs is refused
 *   (`command-checks.ts`). AUTH is not disabled before TLS: with AUTH disabled the library accepts MAIL without a login.
 * - Timeouts are absolute (`DeadlineTracker`), include TLS handshakes, and share one timer; the library's `socketTimeout`
 *   is not used.
 * - Connections are counted when they are accepted, not when their TLS handshake is done.
 * - Command lines and message data are read faster, and messages share a memory budget (`MessageMemory`).
 * - A stop ends idle connections at once and lets messages that are being received end.
 */
export class SmtpServer extends BaseServer<SmtpConnection> {
  private readonly admitted = new WeakMap<Socket, AdmittedSocket>();
  private readonly checking: NodeJS.Timeout;

  constructor(
    options: SMTPServerOptions,
    private readonly settings: ListenerSettings,
  ) {
    super(options);
    // Without a listener a TCP reset during DATA ends the process.
    this.on('error', () => undefined);
    this.checking = setInterval(() => this.checkDeadlines(), settings.checkEveryMs ?? CHECK_MS);
    this.checking.unref();
  }

  /** The library's own handlers wait for a turn of the event loop, and refuse a client that speaks within it. */
  override onConnect(_session: SMTPServerSession, done: () => void): void {
    done();
  }
  override onSecure(_socket: Socket, _session: SMTPServerSession, done: () => void): void {
    done();
  }

  protected override admit(socket: Socket): boolean {
    const { connections } = this.settings;
    const address = socket.remoteAddress ?? '';
    const admission = connections.admit(address);
    let counted = true;
    const release = () => {
      if (counted) connections.release(address);
      counted = false;
    };
    socket.once('close', release);
    this.admitted.set(socket, { at: performance.now(), admission, release });
    return admission !== 'drop';
  }

  protected override beforeTlsHandshake(): Promise<void> {
    return handshakeBudget.spend(1);
  }

  protected override createConnection(socket: Socket, accepted: Socket, options: ConnectionOptions): SmtpConnection {
    const admitted = this.admitted.get(accepted) as AdmittedSocket;
    return new SmtpConnection(this, socket, admitted, this.settings.deadlines, options);
  }

  /** Resolves when the listener is open; rejects when it cannot be opened. */
  async start(port: number, host: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.listen(port, host, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
  }

  get isListening(): boolean {
    return this.server.listening;
  }

  /**
   * Accepts no more connections, and gives messages that are being received a few seconds to end. Resolves when all
   * connections are closed.
   */
  async stop(): Promise<void> {
    clearInterval(this.checking);
    const begun = performance.now();
    const endConnections = (): void => {
      const inGrace = performance.now() - begun < STOP_GRACE_MS;
      for (const connection of this.openConnections()) connection.endForStop(inGrace);
    };
    const closed = new Promise<void>((resolve) => this.close(() => resolve()));
    endConnections();
    const ending = setInterval(endConnections, STOP_CHECK_MS);
    await closed;
    clearInterval(ending);
  }

  private checkDeadlines(): void {
    const now = performance.now();
    for (const socket of this.socketsBeforeTls()) {
      const { at } = this.admitted.get(socket) as AdmittedSocket;
      if (now - at >= this.settings.deadlines.handshake)
        void closeBudget.spend(1).then(() => this.destroyBeforeTls(socket));
    }
    for (const connection of this.openConnections()) connection.endIfExpired(now);
  }
}

/** The options of the library that all listeners share. */
export const commonOptions = (
  { config: { settings }, issued }: { config: Config; issued: IssuedCertificates },
  certificate: TlsFiles,
): SMTPServerOptions => ({
  ...certificate,
  // Undefined: the certificate of the listener.
  ...(settings.SMTP_TLS_CERT === undefined && {
    SNICallback: (name, done) => done(null, issued.contextOf(name) ?? undefined),
  }),
  name: `smtp.${settings.SERVICE_DOMAIN}`,
  banner: 'Postloft',
  minVersion: 'TLSv1.2',
  hideENHANCEDSTATUSCODES: false,
  hideDSN: true,
  hideREQUIRETLS: true,
  disableReverseLookup: true,
  closeTimeout: CLOSE_TIMEOUT_MS,
  logger: false,
});
