import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { EmailsModule } from '#libs/emails';
import { NoticeOutbox, RetentionRegistry } from '#libs/persistence';
import { NoticeSender } from './notice-sender.js';

/** Notices by mail to the owners of accounts. */
@Module({
  imports: [AccountsModule, EmailsModule],
  providers: [NoticeOutbox, NoticeSender],
  exports: [NoticeOutbox, NoticeSender],
})
export class NoticesModule {
  constructor(retention: RetentionRegistry, notices: NoticeOutbox) {
    retention.register('notices', async () => ({ notices: await notices.prune() }));
  }
}
