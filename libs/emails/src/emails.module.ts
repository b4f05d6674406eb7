import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { SuppressionsModule } from '#libs/suppressions';
import { CapturedMail } from './captured-mail.js';
import { EmailQueries } from './email-queries.js';
import { HandOff } from './hand-off.js';
import { AttachmentFetcher } from './intake/attachment-fetcher.js';
import { EmailIntake } from './intake/email-intake.js';
import { EmailLedger } from './ledger/email-ledger.js';
import { MailMessage } from './mail-message.js';
import { Retention } from './retention.js';
import { ReturnPath } from './return-path.js';

const PARTS = [EmailIntake, EmailLedger, EmailQueries, CapturedMail, HandOff, MailMessage, Retention, ReturnPath];

@Module({
  imports: [AccountsModule, DomainsModule, SuppressionsModule],
  providers: [...PARTS, AttachmentFetcher],
  exports: PARTS,
})
export class EmailsModule {}
