import { Injectable } from '@nestjs/common';
import { Accounts } from '#libs/accounts';
import type { EmailStatus } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { Database } from '#libs/persistence';
import { EmailQueries } from '../email-queries.js';
import { recipientsOf } from '../recipient-row.js';
import { explainRecipient, type RecipientExplanation } from './explain-recipient.js';

/** Why a mail is where it is. */
export interface EmailExplanationView {
  id: string;
  object: 'explanation';
  status: EmailStatus;
  recipients: RecipientExplanation[];
}

/** Says for each recipient of a mail what it waits for, until when, and whose words caused that. */
@Injectable()
export class EmailExplanation {
  constructor(
    private readonly emails: EmailQueries,
    private readonly accounts: Accounts,
    private readonly domains: SendingDomains,
    private readonly database: Database,
  ) {}

  /** Null where the account has no such mail. */
  async explain(accountId: string, emailId: string): Promise<EmailExplanationView | null> {
    const mail = await this.emails.summary(accountId, emailId);
    if (mail === null) return null;
    const [account, domain, recipients] = await Promise.all([
      this.accounts.find(accountId),
      this.domains.find(accountId, mail.domain_id),
      recipientsOf(this.database, emailId),
    ]);
    const facts = { standing: account?.standing ?? 'blocked', domainIsThere: domain !== null, now: new Date() };
    return {
      id: emailId,
      object: 'explanation',
      status: mail.status,
      recipients: recipients.map((recipient) => explainRecipient(recipient, facts)),
    };
  }
}
