import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LIMITS } from '#libs/contracts';
import { Config, Health, Log, Shutdown } from '#libs/kernel';
import type { SMTPServerOptions } from 'smtp-server';
import { answer } from '../door/answer.js';
import { loadCertificate, watchCertificate, type Certificate } from '../door/certificate.js';
import { ConnectionCounts } from '../door/connection-counts.js';
import { PromptSmtpServer } from '../door/prompt-smtp-server.js';
import { InboundSession } from './inbound-session.js';

const SILENT_MS = 60_000;
const CLOSE_MS = 6_000;

/** The door on INBOUND_SMTP_PORT (published as 25): bounces, complaints and the service's own mailboxes; no login, no relay. */
@Injectable()
export class InboundServer implements OnApplicationBootstrap {
  private readonly connections: ConnectionCounts;

  constructor(
    private readonly session: InboundSession,
    private readonly config: Config,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
    private readonly health: Health,
  ) {
    this.connections = new ConnectionCounts(config.settings.SMTP_CONNECTIONS_PER_IP);
  }

  async onApplicationBootstrap(): Promise<void> {
    const server = new PromptSmtpServer(this.options(await loadCertificate(this.config)));
    // Without this listener one TCP reset in the middle of DATA ends the process.
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
      await new Promise<void>((resolve) => server.close(() => resolve()));
    });
  }

  private options(certificate: Certificate): SMTPServerOptions {
    return {
      ...certificate,
      name: `smtp.${this.config.settings.SERVICE_DOMAIN}`,
      banner: 'Postloft',
      minVersion: 'TLSv1.2',
      size: LIMITS.inboundBytes,
      authOptional: true,
      disabledCommands: ['AUTH'],
      hideENHANCEDSTATUSCODES: false,
      hideDSN: true,
      hideREQUIRETLS: true,
      disableReverseLookup: true,
      socketTimeout: SILENT_MS,
      closeTimeout: CLOSE_MS,
      logger: false,
      onConnect: (session, done) => done(this.connections.enter(session.remoteAddress)),
      onClose: (session) => this.connections.leave(session.remoteAddress),
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
