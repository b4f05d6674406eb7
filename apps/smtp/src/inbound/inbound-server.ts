import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { IssuedCertificates } from '#libs/certificates';
import { LIMITS } from '#libs/contracts';
import { Config, ConnectionLimiter, Health, Log, Shutdown, type TlsFiles } from '#libs/kernel';
import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import { loadCertificate, watchCertificate } from '../server/certificate.js';
import { commonOptions, SmtpServer } from '../server/server.js';
import type { Deadlines } from '../server/smtp-deadlines.js';
import { callbackify } from '../server/smtp-reply.js';
import { InboundSession } from './inbound-session.js';

/** Ten minutes in all: a large report from a slow server needs more than one, at a kilobyte a second or more. */
const DEADLINES: Deadlines = {
  handshake: 30_000,
  line: 30_000,
  dataWindow: 30_000,
  dataRate: 1_000,
  total: 10 * 60_000,
  unread: 30_000,
  oversize: 3_000,
  silence: 30_000,
};
/** Open at once from all clients. Other servers retry; connections of submission clients are counted apart. */
const MAX_CONNECTIONS = 1_000;

/** The listener on INBOUND_SMTP_PORT (published as 25): bounces, complaints and the service's own mailboxes. */
@Injectable()
export class InboundServer implements OnApplicationBootstrap {
  constructor(
    private readonly session: InboundSession,
    readonly config: Config,
    readonly log: Log,
    readonly issued: IssuedCertificates,
    private readonly shutdown: Shutdown,
    private readonly health: Health,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { INBOUND_SMTP_PORT, SMTP_CONNECTIONS_PER_IP, SMTP_HOST } = this.config.settings;
    const connections = new ConnectionLimiter({ perNetwork: SMTP_CONNECTIONS_PER_IP, overall: MAX_CONNECTIONS });
    const options = this.options(await loadCertificate(this.config, this.log, this.issued));
    const server = new SmtpServer(options, { deadlines: DEADLINES, connections });
    server.on('error', (error: Error) => this.log.debug('inbound connection error', { reason: error.message }));
    await server.start(INBOUND_SMTP_PORT, SMTP_HOST);
    const unwatch = watchCertificate(this, (renewed) => server.updateSecureContext(renewed));
    this.health.register('inbound', () => (server.isListening ? null : 'the listener is closed'));
    this.shutdown.on('intake', 'inbound', async () => {
      unwatch();
      await server.stop();
    });
  }

  private options(certificate: TlsFiles): SMTPServerOptions {
    const { session } = this;
    const replyIn = (current: SMTPServerSession) => (error: unknown) => session.toReply(error, current);
    return {
      ...commonOptions(this, certificate),
      size: LIMITS.inboundBytes,
      maxRecipients: LIMITS.smtpRecipients,
      authOptional: true,
      disabledCommands: ['AUTH'],
      // For senders: a report is read whatever its sender address looks like.
      lenientAddressParsing: true,
      onMailFrom: (_from, current, done) => callbackify(session.mailFrom(current), done, replyIn(current)),
      onRcptTo: (to, current, done) => callbackify(session.rcptTo(to), done, replyIn(current)),
      onData: (stream, current, done) => callbackify(session.data(stream, current), done, replyIn(current)),
    };
  }
}
