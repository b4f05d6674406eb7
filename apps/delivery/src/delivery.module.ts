import { Module, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { BackupModule } from '#libs/backup';
import { DomainsModule } from '#libs/domains';
import { EmailsModule } from '#libs/emails';
import { InboundModule } from '#libs/inbound';
import { VERSION } from '#libs/kernel';
import { NoticesModule } from '#libs/notices';
import { Database } from '#libs/persistence';
import { attemptRecords, DispatchModule, QueueModule } from '#libs/queue';
import { TlsReportsModule } from '#libs/tls-reports';
import { OutboxRelay, Relays } from '#libs/bus';
import { DomainVerifierLoop } from './domain-verifier-loop.js';
import { RetentionJobs } from './retention-jobs.js';
import { RetentionReport } from './retention-report.js';
import { Notices } from './notices.js';
import { TlsReports } from './tls-reports.js';

/** Runs the sequencer and, with Kafka and while no program `relay` runs, the relays of events and attempts. */
@Injectable()
class StartOutboxRelay implements OnApplicationBootstrap {
  constructor(
    private readonly outbox: OutboxRelay,
    private readonly relays: Relays,
    private readonly database: Database,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.outbox.start();
    this.relays.startTable(attemptRecords(this.database));
  }
}

/** The delivery program: the queue, the outbox relay, domain verification, notices and retention. */
@Module({
  imports: [
    AccountsModule,
    BackupModule.forRoot(VERSION),
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
