import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { EmailsModule, ShapingModule } from '#libs/emails';
import { Carriage } from './carriage.js';
import { DeliveryLoop } from './delivery-loop.js';
import { DomainVerifierLoop } from './domain-verifier-loop.js';
import { OutgoingMail } from './outgoing-mail.js';
import { QueueMetrics } from './queue-metrics.js';
import { SimulatedDelivery } from './simulated-delivery.js';
import { TlsReports } from './tls-reports.js';
import { Upkeep } from './upkeep.js';

/** The delivery program: ledger → courier → ledger, the log's carriage, upkeep. */
@Module({
  imports: [AccountsModule, DomainsModule, EmailsModule, ShapingModule],
  providers: [
    OutgoingMail,
    SimulatedDelivery,
    DeliveryLoop,
    QueueMetrics,
    DomainVerifierLoop,
    Carriage,
    TlsReports,
    Upkeep,
  ],
})
export class DeliveryModule {}
