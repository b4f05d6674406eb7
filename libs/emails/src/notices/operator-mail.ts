import { Injectable } from '@nestjs/common';
import { Accounts } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { Config } from '#libs/kernel';
import { EmailIntake } from '../intake/email-intake.js';

/** Tag of the service's own mail; its value is the kind of notice. */
export const NOTICE_TAG = 'notice';

export interface OperatorMailOrder {
  kind: 'tls_report';
  to: string;
  subject: string;
  messageId: string;
  message: Buffer;
  /** An order with the same key is carried out once in 24 hours, whichever process has it. */
  key: string;
}

/**
 * What the service itself has to say goes out as ordinary mail of the operator's account, from `postmaster@` its own
 * domain (details §12): signed, retried, and seen in the lists.
 */
@Injectable()
export class OperatorMail {
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
   * Accepts it durably. The operator vouches for the service's domain, so it is active from the first notice on.
   * @throws Refusal when there is no account yet, when another account sends from that domain, and as `EmailIntake`.
   */
  async send({ kind, to, subject, messageId, message, key }: OperatorMailOrder): Promise<{ id: string }> {
    const account = await this.accounts.first();
    if (account === null) throw new Refusal('not_found', [], 'There is no account yet that a notice could be sent by.');
    await this.domains.addVouched(account.id, this.config.settings.SERVICE_DOMAIN);
    return this.intake.accept({
      accountId: account.id,
      keyId: 'service',
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
