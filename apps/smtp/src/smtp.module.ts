import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { EmailsModule } from '#libs/emails';
import { SuppressionsModule } from '#libs/suppressions';
import { RelayServer } from './relay-server.js';
import { SubmissionSession } from './submission-session.js';

/** The submission relay: SMTP session → the same intake as REST. */
@Module({
  imports: [AccountsModule, DomainsModule, SuppressionsModule, EmailsModule],
  providers: [SubmissionSession, RelayServer],
})
export class SmtpModule {}
