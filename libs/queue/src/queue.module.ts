import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { EmailsModule } from '#libs/emails';
import { Config, Log, Shutdown } from '#libs/kernel';
import { Database, RetentionRegistry } from '#libs/persistence';
import { SuppressionsModule } from '#libs/suppressions';
import { TlsReportsModule } from '#libs/tls-reports';
import { Throttling } from '#libs/mta';
import { ClaimReview } from './claim/claim-review.js';
import { RemovedDomainMail } from './commands/removed-domain-mail.js';
import { RescheduleEmail } from './commands/reschedule-email.js';
import { CourierAdapter } from './dispatch/courier-adapter.js';
import { Couriers } from './dispatch/couriers.js';
import { DeliveryStatus } from './dispatch/delivery-status.js';
import { DeliveryLoop } from './dispatch/delivery-loop.js';
import { DeliveryMetrics } from './dispatch/delivery-metrics.js';
import { DispatchLimits } from './dispatch/dispatch-limits.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { QueueOverview } from './overview/queue-overview.js';
import { QueueMetrics } from './dispatch/queue-metrics.js';
import { SimulatedDelivery } from './dispatch/simulated-delivery.js';
import { SimulatedJobs } from './dispatch/simulated-jobs.js';
import { EmailExplanation } from './explain/email-explanation.js';
import { AttemptJournal } from './journal/attempt-journal.js';
import { pruneHeldRecipients } from './journal/held-recipients.js';
import { Queue } from './queue.js';
import { pruneFullMailboxes } from './settle/suppress-on-bounce.js';
import { OutgoingTls } from './tls-policy/outgoing-tls.js';
import { StoredStsPolicies } from './tls-policy/stored-sts-policies.js';
import { HeldQueues } from './throttling/held-queues.js';
import { SourceOverview } from './throttling/source-overview.js';
import { SharedThrottling } from './throttling/shared-throttling.js';

/** `Throttling` is the throttle to ask; `SharedThrottling` has the plan. */
@Module({
  providers: [
    SharedThrottling,
    { provide: Throttling, inject: [SharedThrottling], useFactory: (shared: SharedThrottling) => shared.throttling },
  ],
  exports: [SharedThrottling, Throttling],
})
class ThrottlingModule {}

/** Claims and outcomes, for every program that delivers or records what came back. */
@Module({
  imports: [AccountsModule, DomainsModule, SuppressionsModule],
  providers: [
    ClaimReview,
    Queue,
    StoredStsPolicies,
    {
      provide: AttemptJournal,
      inject: [Config, Log, Shutdown],
      useFactory: (config: Config, log: Log, shutdown: Shutdown) => AttemptJournal.open(config, log, shutdown),
    },
  ],
  exports: [Queue, StoredStsPolicies],
})
export class QueueModule {
  constructor(retention: RetentionRegistry, database: Database, policies: StoredStsPolicies) {
    retention.register('full mailboxes', async (now) => ({
      'full mailboxes': await pruneFullMailboxes(database, now),
    }));
    retention.register('held recipients', async () => ({ 'held recipients': await pruneHeldRecipients(database) }));
    retention.register('MTA-STS policies', async () => ({ 'MTA-STS policies': await policies.prune() }));
  }
}

/** Delivery of due messages, for the delivery program. */
@Module({
  imports: [AccountsModule, EmailsModule, QueueModule, ThrottlingModule, TlsReportsModule],
  providers: [
    CourierAdapter,
    Couriers,
    DeliveryStatus,
    DeliveryLoop,
    DeliveryMetrics,
    DispatchLimits,
    Dispatcher,
    OutgoingTls,
    QueueMetrics,
    SimulatedDelivery,
    SimulatedJobs,
  ],
})
export class DispatchModule {}

/** Queries and commands of the API. The program provides the event log. */
@Module({
  imports: [AccountsModule, DomainsModule, EmailsModule],
  providers: [EmailExplanation, HeldQueues, QueueOverview, SourceOverview, RemovedDomainMail, RescheduleEmail],
  exports: [EmailExplanation, HeldQueues, QueueOverview, SourceOverview, RemovedDomainMail, RescheduleEmail],
})
export class QueueApiModule {}
