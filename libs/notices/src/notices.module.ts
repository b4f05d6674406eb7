import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { EmailsModule } from '#libs/emails';
import { NoticeOutbox } from '#libs/persistence';
import { NoticeSender } from './notice-sender.js';

/** Notices by mail to the owners of accounts. */
@Module({
  imports: [AccountsModule, EmailsModule],
  providers: [NoticeOutbox, NoticeSender],
  exports: [NoticeOutbox, NoticeSender],
})
export class NoticesModule {}
