import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { EmailsModule } from '#libs/emails';
import { RetentionRegistry } from '#libs/persistence';
import { SuppressionsModule } from '#libs/suppressions';
import { ReportAuthenticator } from './authentication/report-authenticator.js';
import { InboundReceiver } from './inbound-receiver.js';
import { InboundRecords } from './inbound-records.js';
import { InboundStore } from './inbound-store.js';
import { ReportedBounces } from './reported-bounces.js';
import { ReportedComplaints } from './reported-complaints.js';

/** Bounces, complaints and automatic replies that come back. */
@Module({
  imports: [AccountsModule, EmailsModule, SuppressionsModule],
  providers: [InboundReceiver, InboundRecords, InboundStore, ReportAuthenticator, ReportedBounces, ReportedComplaints],
  exports: [InboundReceiver, InboundStore],
})
export class InboundModule {
  constructor(retention: RetentionRegistry, store: InboundStore) {
    retention.register('inbound messages', async (now) => ({ 'inbound messages': await store.prune(now) }));
  }
}
