import { Injectable } from '@nestjs/common';
import { Accounts } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { SystemMail } from '#libs/emails';
import { Config, Log } from '#libs/kernel';
import { NoticeOutbox, type PendingNotice } from '#libs/persistence';
import { composeNotice } from './compose-notice.js';

/** Notices of one round. */
const BATCH = 20;
/** After a refusal, for example because no domain of the operator can send. */
const RETRY_MS = 10 * 60_000;
/** The key of a message is remembered for 24 hours: a later attempt could send a second one. */
const GIVE_UP_MS = 20 * 3_600_000;

/**
 * Turns notices into messages from the operator's account to the addresses of the account concerned. Any number of programs
 * may do so: the cause and day of a notice are the idempotency key of its message.
 */
@Injectable()
export class NoticeSender {
  constructor(
    private readonly outbox: NoticeOutbox,
    private readonly accounts: Accounts,
    private readonly mail: SystemMail,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** Sends what is due. Returns true if more may be due. */
  async round(): Promise<boolean> {
    const notices = await this.outbox.due(BATCH);
    for (const notice of notices) await this.send(notice);
    return notices.length === BATCH;
  }

  private async send(notice: PendingNotice): Promise<void> {
    const account = await this.accounts.find(notice.account_id);
    if (account === null || account.notify_addresses.length === 0) return this.drop(notice);
    const { kind, ...content } = composeNotice(notice, {
      account: { id: account.id, name: account.name },
      apiUrl: this.config.settings.PUBLIC_URL,
    });
    try {
      const key = `notice ${notice.day} ${notice.account_id} ${notice.cause}`;
      const { id } = await this.mail.sendNotice({ kind, to: account.notify_addresses, key, ...content });
      if (await this.outbox.finish(notice))
        this.log.info('sent a notice', { account: account.id, cause: notice.cause, email: id });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await this.retryLater(notice, error);
    }
  }

  /** The owner has not said where notices go: one line of the log has to do. */
  private async drop(notice: PendingNotice): Promise<void> {
    if (await this.outbox.finish(notice))
      this.log.warn('a notice has no recipient: the account has no notify_addresses', {
        account: notice.account_id,
        cause: notice.cause,
      });
  }

  private async retryLater(notice: PendingNotice, { message }: Refusal): Promise<void> {
    const facts = { account: notice.account_id, cause: notice.cause, reason: message };
    if (Date.now() - notice.created_at.getTime() < GIVE_UP_MS) {
      this.log.warn('a notice cannot be sent yet', facts);
      await this.outbox.retryIn(notice, RETRY_MS);
    } else if (await this.outbox.finish(notice)) this.log.warn('a notice could not be sent', facts);
  }
}
