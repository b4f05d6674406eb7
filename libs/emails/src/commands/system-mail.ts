import { Injectable } from '@nestjs/common';
import { Accounts } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { Config } from '#libs/kernel';
import { EmailIntake } from '../intake/email-intake.js';

/** Tag of messages sent by the service itself; the value is the kind of message. */
export const NOTICE_TAG = 'notice';

export interface SystemMessage {
  kind: 'tls_report';
  to: string;
  subject: string;
  messageId: string;
  message: Buffer;
  /** A message with the same key is sent once in 24 hours, whichever process requests it. */
  key: string;
}

/**
 * Sends the service's own messages as ordinary emails of the operator's account, from `postmaster@` the service domain.
 * They are signed, retried and listed like all others (docs/decisions/034-service-messages.md).
 */
@Injectable()
export class SystemMail {
  readonly sender: string;

  constructor(
    private readonly accounts: Accounts,
    private readonly domains: SendingDomains,
    private readonly intake: EmailIntake,
    private readonly config: Config,
  ) {
    this.sender = `postmaster@${config.settings.SERVICE_DOMAIN}`;
  }

  /**
   * Resolves when the email is accepted. The operator vouches for the service domain, so it is active from the first
   * message on.
   * @throws Refusal if there is no account yet or another account owns the service domain, and the refusals of
   * `EmailIntake`.
   */
  async send({ kind, to, subject, messageId, message, key }: SystemMessage): Promise<{ id: string }> {
    const account = await this.accounts.first();
    if (account === null) throw new Refusal('not_found', [], 'There is no account yet that a notice could be sent by.');
    await this.domains.addVouched(account.id, this.config.settings.SERVICE_DOMAIN);
    return this.intake.accept({
      accountId: account.id,
      keyId: null,
      mode: 'live',
      source: 'service',
      from: { name: '', address: this.sender },
      to: [{ name: '', address: to }],
      cc: [],
      bcc: [],
      replyTo: [],
      subject,
      tags: { [NOTICE_TAG]: kind },
      content: { format: 'mime', message, messageId },
      scheduledAt: null,
      idempotency: { scope: 'service', key, bodyHash: null },
    });
  }
}
