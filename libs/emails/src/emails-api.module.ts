import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { SuppressionsModule } from '#libs/suppressions';
import { EmailRetry } from './changes/email-retry.js';
import { EmailSchedule } from './changes/email-schedule.js';
import { EmailsModule } from './emails.module.js';
import { EmailList } from './list/email-list.js';
import { AttachmentLinks } from './reading/attachment-links.js';
import { EmailAttachments } from './reading/email-attachments.js';
import { EmailExplanation } from './reading/email-explanation.js';
import { EmailHistory } from './reading/email-history.js';

const PARTS = [EmailList, EmailHistory, EmailExplanation, EmailAttachments, EmailSchedule, EmailRetry];

/** What only a program with an API needs of mails; it also needs the bus. */
@Module({
  imports: [EmailsModule, AccountsModule, DomainsModule, SuppressionsModule],
  providers: [...PARTS, AttachmentLinks],
  exports: PARTS,
})
export class EmailsApiModule {}
