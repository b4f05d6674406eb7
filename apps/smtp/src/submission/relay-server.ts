import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LIMITS } from '#libs/contracts';
import { Config, Health, Log, Shutdown, type TlsFiles } from '#libs/kernel';
import type { SMTPServerOptions } from 'smtp-server';
import { answer } from '../door/answer.js';
import { loadCertificate, watchCertificate } from '../door/certificate.js';
import { connectionLimit } from '../door/connection-limit.js';
import { ConnectionCounts } from '../door/connection-counts.js';
import { messageRoom } from '../door/message-room.js';
import type { Deadlines } from '../door/phase-clock.js';
import { PromptSmtpServer } from '../door/prompt-smtp-server.js';
import { SubmissionSession } from './submission-session.js';

/** `login` leaves the reply, a last second to read it, and the pace of the watch: gone within 60 s. */
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
const CLOSE_MS = 6_000;

/** The relay's two doors: STARTTLS on SMTP_PORT and implicit TLS on SMTPS_PORT (RFC 6409, RFC 8314). */
@Injectable()
export class RelayServer implements OnApplicationBootstrap {
  private servers: PromptSmtpServer[] = [];
  private readonly connections: ConnectionCounts;

  constructor(
    private readonly session: SubmissionSession,
    private readonly config: Config,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
    private readonly health: Health,
  ) {
    this.connections = new ConnectionCounts(config.settings.SMTP_CONNECTIONS_PER_IP, connectionLimit(log));
  }

  async onApplicationBootstrap(): Promise<void> {
    const { SMTP_PORT, SMTPS_PORT } = this.config.settings;
    const certificate = await loadCertificate(this.config, this.log);
    await this.listen(SMTP_PORT, certificate, false);
    await this.listen(SMTPS_PORT, certificate, true);
    const unwatch = watchCertificate(this.config, this.log, (renewed) =>
      this.servers.forEach((server) => server.updateSecureContext(renewed)),
    );
    this.health.register('smtp', () =>
      this.servers.every((server) => server.server.listening) ? null : 'a listener is closed',
    );
    this.shutdown.on('intake', 'smtp', async () => {
      unwatch();
      await Promise.all(this.servers.map((server) => server.stop()));
    });
  }

  private async listen(port: number, certificate: TlsFiles, secure: boolean): Promise<void> {
    const server = new PromptSmtpServer(this.options(certificate, secure), {
      deadlines: DEADLINES,
      connections: this.connections,
    });
    server.on('error', (error: Error) => this.log.debug('smtp connection error', { reason: error.message }));
    await new Promise<void>((resolve, reject) => {
      server.server.once('error', reject);
      server.listen(port, this.config.settings.SMTP_HOST, () => {
        server.server.off('error', reject);
        resolve();
      });
    });
    this.servers.push(server);
  }

  private options(certificate: TlsFiles, secure: boolean): SMTPServerOptions {
    return {
      ...certificate,
      secure,
      name: `smtp.${this.config.settings.SERVICE_DOMAIN}`,
      banner: 'Postloft',
      minVersion: 'TLSv1.2',
      size: LIMITS.messageBytes,
      authMethods: ['PLAIN', 'LOGIN'],
      hideENHANCEDSTATUSCODES: false,
      hideDSN: true,
      hideREQUIRETLS: true,
      disableReverseLookup: true,
      maxRecipients: LIMITS.smtpRecipients,
      closeTimeout: CLOSE_MS,
      logger: false,
      onAuth: (auth, session, done) => {
        this.session.login(auth, session).then(
          (user) => done(null, { user }),
          (error: unknown) => done(this.session.reply(error, session)),
        );
      },
      onMailFrom: (from, session, done) =>
        answer(this.session.mailFrom(from, session), done, (error) => this.session.reply(error, session)),
      onRcptTo: (to, session, done) =>
        answer(this.session.rcptTo(to, session), done, (error) => this.session.reply(error, session)),
      onData: (stream, session, done) => {
        const stored = this.session.data(stream, session).finally(() => messageRoom.leave(stream));
        stored.then(
          (words) => done(null, `2.0.0 ${words}`),
          (error: unknown) => done(this.session.reply(error, session)),
        );
      },
    };
  }
}
