import { Module, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { EmailsModule } from '#libs/emails';
import { InboundModule } from '#libs/inbound';
import { NoticesModule } from '#libs/notices';
import { DispatchModule, QueueModule } from '#libs/queue';
import { TlsReportsModule } from '#libs/tls-reports';
import { OutboxRelay } from '#libs/bus';
import { DomainVerifierLoop } from './domain-verifier-loop.js';
import { RetentionJobs } from './retention-jobs.js';
import { Notices } from './notices.js';
import { TlsReports } from './tls-reports.js';

/** Runs the sequencer and, with Kafka configured, the Kafka relay. */
@Injectable()
export class StartOutboxRelay implements OnApplicationBootstrap {
  constructor(private readonly relay: OutboxRelay) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.relay.start();
  }
}

/** The delivery program: the queue, the outbox relay, domain verification, notices and retention. */
@Module({
  imports: [
    AccountsModule,
    DomainsModule,
    EmailsModule,
    InboundModule,
    DispatchModule,
    NoticesModule,
    QueueModule,
    TlsReportsModule,
  ],
  providers: [DomainVerifierLoop, Notices, StartOutboxRelay, TlsReports, RetentionJobs],
})
export class DeliveryModule {}
