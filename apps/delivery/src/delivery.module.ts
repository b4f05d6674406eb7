import { Module, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { EmailsModule } from '#libs/emails';
import { InboundModule } from '#libs/inbound';
import { NoticesModule } from '#libs/notices';
import { Database } from '#libs/persistence';
import { attemptRecords, DispatchModule, QueueModule } from '#libs/queue';
import { TlsReportsModule } from '#libs/tls-reports';
import { OutboxRelay, TableRelay } from '#libs/bus';
import { DomainVerifierLoop } from './domain-verifier-loop.js';
import { RetentionJobs } from './retention-jobs.js';
import { RetentionReport } from './retention-report.js';
import { Notices } from './notices.js';
import { TlsReports } from './tls-reports.js';

/** Runs the sequencer and, with Kafka configured, the relays of events and attempts. */
@Injectable()
class StartOutboxRelay implements OnApplicationBootstrap {
  constructor(
    private readonly relay: OutboxRelay,
    private readonly tables: TableRelay,
    private readonly database: Database,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.relay.start();
    this.tables.start(attemptRecords(this.database));
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
  providers: [DomainVerifierLoop, Notices, StartOutboxRelay, TlsReports, RetentionJobs, RetentionReport],
})
export class DeliveryModule {}
