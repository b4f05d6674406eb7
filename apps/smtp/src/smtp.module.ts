import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { EmailsModule } from '#libs/emails';
import { SuppressionsModule } from '#libs/suppressions';
import { InboundServer } from './inbound/inbound-server.js';
import { InboundSession } from './inbound/inbound-session.js';
import { RelayServer } from './submission/relay-server.js';
import { SubmissionSession } from './submission/submission-session.js';

/** SMTP in: the submission relay (session → the same intake as REST) and the inbound door for what comes back. */
@Module({
  imports: [AccountsModule, DomainsModule, SuppressionsModule, EmailsModule],
  providers: [SubmissionSession, RelayServer, InboundSession, InboundServer],
})
export class SmtpModule {}
