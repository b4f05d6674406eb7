import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { IssuedCertificates } from '#libs/certificates';
import { LIMITS } from '#libs/contracts';
import { Config, ConnectionLimiter, Health, Log, Shutdown, type TlsFiles, connectionLimits } from '#libs/kernel';
import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import { loadCertificate, watchCertificate } from '../server/certificate.js';
import { commonOptions, SmtpServer } from '../server/server.js';
import type { Deadlines } from '../server/smtp-deadlines.js';
import { callbackify } from '../server/smtp-reply.js';
import { SubmissionSession } from './submission-session.js';

/** A connection without a login ends within 60 s: `login` leaves time for the check, the reply and a second to read it. */
const DEADLINES: Deadlines = {
  login: 57_500,
  handshake: 30_000,
  line: 30_000,
  dataWindow: 30_000,
  dataRate: 1_000,
  unread: 30_000,
  oversize: 3_000,
  silence: 5 * 60_000,
};

/** The two listeners of message submission: STARTTLS on SMTP_PORT and implicit TLS on SMTPS_PORT (RFC 6409, RFC 8314). */
@Injectable()
export class SubmissionServer implements OnApplicationBootstrap {
  private servers: SmtpServer[] = [];
  private readonly connections: ConnectionLimiter;

  constructor(
    private readonly session: SubmissionSession,
    readonly config: Config,
    readonly log: Log,
    readonly issued: IssuedCertificates,
    private readonly shutdown: Shutdown,
    private readonly health: Health,
  ) {
    this.connections = new ConnectionLimiter({
      perNetwork: config.settings.SMTP_CONNECTIONS_PER_IP,
      overall: connectionLimits.smtp(config, log),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    const { SMTP_PORT, SMTPS_PORT } = this.config.settings;
    const certificate = await loadCertificate(this.config, this.log, this.issued);
    await this.listen(SMTP_PORT, this.options(certificate, false));
    await this.listen(SMTPS_PORT, this.options(certificate, true));
    const unwatch = watchCertificate(this, (renewed) =>
      this.servers.forEach((server) => server.updateSecureContext(renewed)),
    );
    this.health.register('smtp', () =>
      this.servers.every((server) => server.isListening) ? null : 'a listener is closed',
    );
    this.shutdown.on('intake', 'smtp', async () => {
      unwatch();
      await Promise.all(this.servers.map((server) => server.stop()));
    });
  }

  private async listen(port: number, options: SMTPServerOptions): Promise<void> {
    const server = new SmtpServer(options, { deadlines: DEADLINES, connections: this.connections });
    server.on('error', (error: Error) => this.log.debug('smtp connection error', { reason: error.message }));
    await server.start(port, this.config.settings.SMTP_HOST);
    this.servers.push(server);
  }

  private options(certificate: TlsFiles, secure: boolean): SMTPServerOptions {
    const { session } = this;
    const replyIn = (current: SMTPServerSession) => (error: unknown) => session.toReply(error, current);
    return {
      ...commonOptions(this, certificate),
      secure,
      size: LIMITS.messageBytes,
      authMethods: ['PLAIN', 'LOGIN'],
      maxRecipients: LIMITS.smtpRecipients,
      onAuth: (auth, current, done) => callbackify(session.login(auth, current), done, replyIn(current)),
      onMailFrom: (_from, current, done) => callbackify(session.mailFrom(current), done, replyIn(current)),
      onRcptTo: (to, current, done) => callbackify(session.rcptTo(to, current), done, replyIn(current)),
      onData: (stream, current, done) => callbackify(session.data(stream, current), done, replyIn(current)),
    };
  }
}
