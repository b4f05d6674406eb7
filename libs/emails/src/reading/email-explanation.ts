import { Injectable } from '@nestjs/common';
import { Accounts } from '#libs/accounts';
import { KeyHistory } from '#libs/bus';
import type { EmailStatus, EventData } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { domainOf } from '#libs/mime';
import { Database } from '#libs/persistence';
import { EmailQueries } from '../email-queries.js';
import type { UnsentEnd } from '../ledger/end-unsent.js';
import { recipientsOf, type RecipientRow } from '../recipient-row.js';
import { HELD } from '../shaping/held.js';
import { explainRecipient, isLate, type RecipientExplanation, type Taken } from './explain-recipient.js';

/** Why a mail is where it is. */
export interface EmailExplanationView {
  id: string;
  object: 'explanation';
  status: EmailStatus;
  recipients: RecipientExplanation[];
}

const REMOVED = 'domain_removed' satisfies UnsentEnd['reason'];
/** Of a mail to many, each tried often. */
const MOST_EVENTS = 10_000;

/** Says for each recipient of a mail what it waits for, until when, and whose words caused that. */
@Injectable()
export class EmailExplanation {
  constructor(
    private readonly emails: EmailQueries,
    private readonly accounts: Accounts,
    private readonly domains: SendingDomains,
    private readonly history: KeyHistory,
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
    const now = new Date();
    const facts = { standing: account?.standing ?? 'blocked', now };
    const placed = await Promise.all(recipients.map((row) => this.behindOthers(row, now)));
    const taken = await this.takenBefore(emailId, recipients);
    const removed = domain === null ? await this.endedByRemoval(accountId, emailId) : new Set<string>();
    return {
      id: emailId,
      object: 'explanation',
      status: mail.status,
      recipients: placed.map((row) =>
        explainRecipient(row, {
          ...facts,
          taken: taken.get(row.ordinal) ?? null,
          domainWasRemoved: removed.has(row.address),
        }),
      ),
    };
  }

  /** Addresses that were given up because the sending domain was removed: what ended them may have been their time. */
  private async endedByRemoval(accountId: string, emailId: string): Promise<Set<string>> {
    const events = await this.history.read({ accountId, key: emailId }, { limit: MOST_EVENTS });
    const failed = events.flatMap(({ event }) =>
      event.type === 'email.failed' ? [event.data as EventData['email.failed']] : [],
    );
    return new Set(failed.filter(({ reason }) => reason.startsWith(REMOVED)).map(({ recipient }) => recipient));
  }

  /** By ordinal, the deliveries of those recipients whose mail came back. */
  private async takenBefore(emailId: string, recipients: readonly RecipientRow[]): Promise<Map<number, Taken>> {
    if (recipients.every(({ status }) => status !== 'bounced')) return new Map();
    const { rows } = await this.database.query<Taken & { ordinal: number }>(
      `SELECT ordinal, mx, ended_at AS at FROM attempts WHERE email_id = $1 AND outcome = 'delivered'`,
      [emailId],
    );
    return new Map(rows.map(({ ordinal, mx, at }) => [ordinal, { mx, at }]));
  }

  /**
   * What has been due for long stands in the database behind other mail to the same domain: what holds that back, and
   * until when, holds this back too.
   */
  private async behindOthers(row: RecipientRow, now: Date): Promise<RecipientRow> {
    if (!isLate(row, now)) return row;
    const queue = `domain:${domainOf(row.address)}`;
    const { rows } = await this.database.query<Pick<RecipientRow, 'wait' | 'due_at'>>(
      `SELECT wait, due_at FROM recipients
        WHERE wait ->> 'queue' = $1 AND ${HELD} AND due_at > now() LIMIT 1`,
      [queue],
    );
    return { ...row, ...rows.at(0) };
  }
}
