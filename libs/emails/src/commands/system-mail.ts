import { Injectable } from '@nestjs/common';
import { Accounts } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { Config } from '#libs/kernel';
import { EmailIntake } from '../intake/email-intake.js';
import type { Submission } from '../intake/submission.js';
import { NOTICE_TAG, type SystemMailKind } from '../message/system-mail-kinds.js';

export interface SystemMessage {
  kind: 'login' | 'tls_report';
  to: string;
  subject: string;
  messageId: string;
  message: Buffer;
  /** A message with the same key is sent once in 24 hours, whichever process requests it. */
  key: string;
}

export interface Notice {
  kind: Exclude<SystemMailKind, 'login' | 'tls_report'>;
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** As that of `SystemMessage`. */
  key: string;
}

const NOT_READY = 'This service cannot send messages at the moment. Ask its operator for a login link.';

type SubmittedMail = { kind: SystemMailKind; to: string[]; key: string } & Pick<
  Submission,
  'subject' | 'content' | 'suppressed'
>;

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
  send({ kind, to, subject, messageId, message, key }: SystemMessage): Promise<{ id: string }> {
    const content = { format: 'mime', message, messageId } as const;
    return this.submit({ kind, to: [to], subject, content, key });
  }

  /**
   * @throws Refusal service_unavailable if no message can be sent to anybody: there is no account, or it is blocked, or another
   * account owns the service domain
   */
  async assertReady(): Promise<void> {
    const account = await this.accounts.first();
    const isReady = account?.standing === 'active' && (await this.ownsDomain(account.id));
    if (!isReady) throw new Refusal('service_unavailable', [], NOT_READY);
  }

  /** Sends a notice to people, as `send`. Suppressed addresses are left out. */
  sendNotice({ kind, to, subject, text, html, key }: Notice): Promise<{ id: string }> {
    // RFC 3834 §5: nobody's autoresponder answers.
    const headers: [string, string][] = [['Auto-Submitted', 'auto-generated']];
    const content: Submission['content'] = { format: 'parts', text, html, headers, attachments: [] };
    return this.submit({ kind, to, subject, content, key, suppressed: 'skip' });
  }

  private async ownsDomain(accountId: string): Promise<boolean> {
    try {
      await this.domains.addOfService(accountId, this.config.settings.SERVICE_DOMAIN);
      return true;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  private async submit(of: SubmittedMail): Promise<{ id: string }> {
    const { kind, to, key, ...rest } = of;
    const account = await this.accounts.first();
    if (account === null) throw new Refusal('not_found', [], 'There is no account yet that a notice could be sent by.');
    await this.domains.addOfService(account.id, this.config.settings.SERVICE_DOMAIN);
    return this.intake.accept({
      accountId: account.id,
      keyId: null,
      mode: 'live',
      source: 'service',
      from: { name: '', address: this.sender },
      to: to.map((address) => ({ name: '', address })),
      cc: [],
      bcc: [],
      replyTo: [],
      tags: { [NOTICE_TAG]: kind },
      isLoginMail: kind === 'login',
      ...rest,
      scheduledAt: null,
      idempotency: { scope: 'service', key, bodyHash: null },
    });
  }
}
