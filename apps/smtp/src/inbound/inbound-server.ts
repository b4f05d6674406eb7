import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LIMITS } from '#libs/contracts';
import { Config, Health, Log, Shutdown, type TlsFiles } from '#libs/kernel';
import type { SMTPServerOptions } from 'smtp-server';
import { answer } from '../door/answer.js';
import { loadCertificate, watchCertificate } from '../door/certificate.js';
import { ConnectionCounts } from '../door/connection-counts.js';
import type { Deadlines } from '../door/phase-clock.js';
import { PromptSmtpServer } from '../door/prompt-smtp-server.js';
import { InboundSession } from './inbound-session.js';

/**
 * Nobody logs in here, so nobody may stay: a minute in all (details §10) would cut a large report from a slow server,
 * which therefore has ten, as long as each half minute brings more than a kilobyte a second.
 */
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
/** Open at once, from everywhere. Servers with reports for us come back; the relay's clients are counted apart. */
const CONNECTIONS = 1_000;
const CLOSE_MS = 6_000;

/** The door on INBOUND_SMTP_PORT (published as 25): bounces, complaints and the service's own mailboxes; no login, no relay. */
@Injectable()
export class InboundServer implements OnApplicationBootstrap {
  constructor(
    private readonly session: InboundSession,
    private readonly config: Config,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
    private readonly health: Health,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const connections = new ConnectionCounts(this.config.settings.SMTP_CONNECTIONS_PER_IP, CONNECTIONS);
    const options = this.options(await loadCertificate(this.config, this.log));
    const server = new PromptSmtpServer(options, { deadlines: DEADLINES, connections });
    server.on('error', (error: Error) => this.log.debug('inbound connection error', { reason: error.message }));
    await new Promise<void>((resolve, reject) => {
      server.server.once('error', reject);
      server.listen(this.config.settings.INBOUND_SMTP_PORT, this.config.settings.SMTP_HOST, () => {
        server.server.off('error', reject);
        resolve();
      });
    });
    const unwatch = watchCertificate(this.config, this.log, (renewed) => server.updateSecureContext(renewed));
    this.health.register('inbound', () => (server.server.listening ? null : 'the listener is closed'));
    this.shutdown.on('intake', 'inbound', async () => {
      unwatch();
      await server.stop();
    });
  }

  private options(certificate: TlsFiles): SMTPServerOptions {
    return {
      ...certificate,
      name: `smtp.${this.config.settings.SERVICE_DOMAIN}`,
      banner: 'Postloft',
      minVersion: 'TLSv1.2',
      size: LIMITS.inboundBytes,
      maxRecipients: LIMITS.smtpRecipients,
      authOptional: true,
      disabledCommands: ['AUTH'],
      // Of senders: whatever another server calls itself, its report is read.
      lenientAddressParsing: true,
      hideENHANCEDSTATUSCODES: false,
      hideDSN: true,
      hideREQUIRETLS: true,
      disableReverseLookup: true,
      closeTimeout: CLOSE_MS,
      logger: false,
      onMailFrom: (_from, session, done) =>
        answer(this.session.mailFrom(session), done, (error) => this.session.reply(error, session)),
      onRcptTo: (to, session, done) =>
        answer(this.session.rcptTo(to), done, (error) => this.session.reply(error, session)),
      onData: (stream, session, done) => {
        this.session.data(stream, session).then(
          () => done(null, '2.0.0 Ok'),
          (error: unknown) => done(this.session.reply(error, session)),
        );
      },
    };
  }
}
