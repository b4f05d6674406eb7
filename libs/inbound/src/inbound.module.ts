import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { EmailsModule } from '#libs/emails';
import { SuppressionsModule } from '#libs/suppressions';
import { ReportAuthenticator } from './authentication/report-authenticator.js';
import { InboundReceiver } from './inbound-receiver.js';
import { InboundStore } from './inbound-store.js';
import { ReportedBounces } from './reported-bounces.js';
import { ReportedComplaints } from './reported-complaints.js';

/** Bounces, complaints and automatic replies that come back. */
@Module({
  imports: [AccountsModule, EmailsModule, SuppressionsModule],
  providers: [InboundReceiver, InboundStore, ReportAuthenticator, ReportedBounces, ReportedComplaints],
  exports: [InboundReceiver, InboundStore],
})
export class InboundModule {}
