import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { CertificatesModule } from '#libs/certificates';
import { DomainsModule } from '#libs/domains';
import { EmailsModule } from '#libs/emails';
import { InboundModule } from '#libs/inbound';
import { SuppressionsModule } from '#libs/suppressions';
import { InboundServer } from './inbound/inbound-server.js';
import { InboundSession } from './inbound/inbound-session.js';
import { SubmissionLogin } from './submission/submission-login.js';
import { SubmissionServer } from './submission/submission-server.js';
import { SubmissionSession } from './submission/submission-session.js';

/** The SMTP listeners: message submission, which ends in the same intake as REST, and inbound bounces and complaints. */
@Module({
  imports: [AccountsModule, CertificatesModule, DomainsModule, SuppressionsModule, EmailsModule, InboundModule],
  providers: [SubmissionLogin, SubmissionSession, SubmissionServer, InboundSession, InboundServer],
})
export class SmtpModule {}
