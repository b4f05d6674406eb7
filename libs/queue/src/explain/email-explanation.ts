import { Injectable } from '@nestjs/common';
import { Accounts } from '#libs/accounts';
import { KeyHistory } from '#libs/bus';
import type { EmailStatus, EventData, Visibility } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { EmailQueries, type RecipientRow, recipientsOf, stopsWhilePaused } from '#libs/emails';
import { domainOf } from '#libs/mime';
import { Database } from '#libs/persistence';
import type { UnsentOutcome } from '../settle/fail-unsent.js';
import { HELD } from '../throttling/throttling-store.js';
import { explainRecipient, isLate, type RecipientExplanation, type Taken } from './explain-recipient.js';
import { Config, databaseClock } from '#libs/kernel';

/** Why a message is where it is. */
export interface EmailExplanationView {
  id: string;
  object: 'explanation';
  status: EmailStatus;
  recipients: RecipientExplanation[];
}

const REMOVED = 'domain_removed' satisfies UnsentOutcome['reason'];
/** Limit for a message to many recipients with many attempts each. */
const MOST_EVENTS = 10_000;

/** Explains for each recipient what it waits for, until when, and which server's reply caused it. */
@Injectable()
export class EmailExplanation {
  constructor(
    private readonly emails: EmailQueries,
    private readonly accounts: Accounts,
    private readonly domains: SendingDomains,
    private readonly history: KeyHistory,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Null if the key sees no such message. */
  async explain(visibility: Visibility, emailId: string): Promise<EmailExplanationView | null> {
    const email = await this.emails.summary(visibility, emailId);
    if (email === null) return null;
    const { accountId } = visibility;
    const [account, domain, recipients] = await Promise.all([
      this.accounts.find(accountId),
      this.domains.find(visibility, email.domain_id),
      recipientsOf(this.database, emailId),
    ]);
    const now = databaseClock.date();
    const mail = { test: email.mode === 'test', tags: email.tags, sender: email.from };
    const isStopped = stopsWhilePaused(mail, this.config.settings.SERVICE_DOMAIN);
    const pause = isStopped ? (account?.sendingPause ?? null) : null;
    const facts = { standing: account?.standing ?? ('blocked' as const), pause, now };
    const placed = await Promise.all(recipients.map((row) => this.behindOthers(row, now)));
    const taken = await this.takenBefore(emailId, recipients);
    const removed = domain === null ? await this.endedByRemoval(accountId, emailId) : new Set<string>();
    return {
      id: emailId,
      object: 'explanation',
      status: email.status,
      recipients: placed.map((row) =>
        explainRecipient(row, {
          ...facts,
          taken: taken.get(row.ordinal) ?? null,
          domainWasRemoved: removed.has(row.address),
        }),
      ),
    };
  }

  /** Addresses that failed because the sending domain was removed, as opposed to an expired lifetime. */
  private async endedByRemoval(accountId: string, emailId: string): Promise<Set<string>> {
    const events = await this.history.read({ accountId, key: emailId }, { limit: MOST_EVENTS });
    const failed = events.flatMap(({ event }) =>
      event.type === 'email.failed' ? [event.data as EventData['email.failed']] : [],
    );
    return new Set(failed.filter(({ reason }) => reason.startsWith(REMOVED)).map(({ recipient }) => recipient));
  }

  /** The delivery of each recipient that later bounced, by ordinal. */
  private async takenBefore(emailId: string, recipients: readonly RecipientRow[]): Promise<Map<number, Taken>> {
    if (recipients.every(({ status }) => status !== 'bounced')) return new Map();
    const { rows } = await this.database.query<Taken & { ordinal: number }>(
      `SELECT ordinal, mx, ended_at AS at FROM attempts WHERE email_id = $1 AND outcome = 'delivered'`,
      [emailId],
    );
    return new Map(rows.map(({ ordinal, mx, at }) => [ordinal, { mx, at }]));
  }

  /**
   * A recipient that has been due for long waits behind others of the same domain: the reason and time that hold those
   * back hold for it too.
   */
  private async behindOthers(row: RecipientRow, now: Date): Promise<RecipientRow> {
    if (!isLate(row, now)) return row;
    const queue = `domain:${domainOf(row.address)}`;
    const { rows } = await this.database.query<Pick<RecipientRow, 'wait_reason' | 'due_at'>>(
      `SELECT wait_reason, due_at FROM recipients
        WHERE wait_reason ->> 'queue' = $1 AND ${HELD} AND due_at > now() LIMIT 1`,
      [queue],
    );
    return { ...row, ...rows.at(0) };
  }
}
