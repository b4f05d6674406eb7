import { Injectable } from '@nestjs/common';
import { Accounts } from '#libs/accounts';
import { KeyHistory } from '#libs/bus';
import type { EventData, ViewOf, Visibility } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { EmailQueries, type emailShapes, type RecipientRow, recipientRows, systemMail } from '#libs/emails';
import { domainOf } from '#libs/mime';
import { Database } from '#libs/persistence';
import type { UnsentOutcome } from '../settle/fail-unsent.js';
import { HELD } from '../throttling/throttling-store.js';
import type { EmailExplanationView } from '../explanation.resource.js';
import { RecipientsAhead } from './recipients-ahead.js';
import { explainRecipient, isLate, type Taken } from './explain-recipient.js';
import { Config, databaseClock } from '#libs/kernel';

const REMOVED = 'domain_removed' satisfies UnsentOutcome['reason'];
/** Limit for a message to many recipients with many attempts each. */
const MOST_EVENTS = 10_000;

/** Explains for each recipient what it waits for, until when, and which server's reply caused it. */
@Injectable()
export class EmailExplanation {
  private readonly ahead: RecipientsAhead;

  constructor(
    private readonly emails: EmailQueries,
    private readonly accounts: Accounts,
    private readonly domains: SendingDomains,
    private readonly history: KeyHistory,
    private readonly database: Database,
    private readonly config: Config,
  ) {
    this.ahead = new RecipientsAhead(database);
  }

  /** Null if the key sees no such message. */
  async explain(visibility: Visibility, emailId: string): Promise<EmailExplanationView | null> {
    return (await this.explainAll(visibility, [emailId])).get(emailId) ?? null;
  }

  /** As `explain`, for several messages, by id. The number of statements does not depend on the number of messages. */
  async explainAll(visibility: Visibility, emailIds: readonly string[]): Promise<Map<string, EmailExplanationView>> {
    const emails = await this.emails.summaries(visibility, emailIds);
    if (emails.size === 0) return new Map();
    const ids = [...emails.keys()];
    const { accountId } = visibility;
    const [account, domains, recipients] = await Promise.all([
      this.accounts.find(accountId),
      this.domains.views(visibility, [...new Set([...emails.values()].map(({ domain_id }) => domain_id))]),
      recipientRows.ofAll(this.database, ids),
    ]);
    const now = databaseClock.date();
    const facts = { standing: account?.standing ?? ('blocked' as const), now };
    const pauseOf = ({ mode, tags, from }: ViewOf<typeof emailShapes.emailSummary>) =>
      systemMail.stopsWhilePaused({ test: mode === 'test', tags, sender: from }, this.config.settings.SERVICE_DOMAIN)
        ? (account?.sending_pause ?? null)
        : null;
    const counted = await this.ahead.count(visibility, [...recipients.values()].flat(), now);
    const heldAhead = await this.heldAhead([...recipients.values()].flat(), now);
    const taken = await this.takenBefore(recipients);
    const orphans = [...emails.values()].filter(({ domain_id }) => !domains.has(domain_id)).map(({ id }) => id);
    const removed = await this.endedByRemoval(accountId, orphans);
    return new Map(
      [...emails.values()].map((email) => [
        email.id,
        {
          id: email.id,
          object: 'explanation',
          status: email.status,
          recipients: (recipients.get(email.id) ?? []).map((row) =>
            explainRecipient(isLate(row, now) ? { ...row, ...heldAhead.get(queueOf(row)) } : row, {
              ...facts,
              pause: pauseOf(email),
              ahead: counted.get(row) ?? null,
              taken: taken.get(`${email.id} ${row.ordinal}`) ?? null,
              domainWasRemoved: removed.has(`${email.id} ${row.address}`),
            }),
          ),
        },
      ]),
    );
  }

  /** Recipients, as `<message> <address>`, that failed because the sending domain was removed, not because of an expired lifetime. */
  private async endedByRemoval(accountId: string, emailIds: readonly string[]): Promise<Set<string>> {
    if (emailIds.length === 0) return new Set();
    const histories = await this.history.readAll({ accountId, keys: emailIds }, { limit: MOST_EVENTS });
    const removed = new Set<string>();
    for (const [id, events] of histories)
      for (const { event } of events) {
        if (event.type !== 'email.failed') continue;
        const { reason, recipient } = event.data as EventData['email.failed'];
        if (reason.startsWith(REMOVED)) removed.add(`${id} ${recipient}`);
      }
    return removed;
  }

  /** The delivery of each recipient that later bounced, by `<message> <ordinal>`. */
  private async takenBefore(recipients: ReadonlyMap<string, RecipientRow[]>): Promise<Map<string, Taken>> {
    const bounced = [...recipients].filter(([, rows]) => rows.some(({ status }) => status === 'bounced'));
    if (bounced.length === 0) return new Map();
    const { rows } = await this.database.query<Taken & { email_id: string; ordinal: number }>(
      `SELECT email_id, ordinal, mx, ended_at AS at FROM attempts WHERE email_id = ANY ($1) AND outcome = 'delivered'`,
      [bounced.map(([id]) => id)],
    );
    return new Map(rows.map(({ email_id, ordinal, mx, at }) => [`${email_id} ${ordinal}`, { mx, at }]));
  }

  /**
   * A recipient that has been due for long waits behind others of the same domain: the reason and time that hold those
   * back hold for it too. By queue.
   */
  private async heldAhead(recipients: readonly RecipientRow[], now: Date): Promise<Map<string, HeldReason>> {
    const queues = new Set(recipients.filter((row) => isLate(row, now)).map(queueOf));
    if (queues.size === 0) return new Map();
    const { rows } = await this.database.query<HeldReason & { queue: string }>(
      `SELECT named.queue, held.wait_reason, held.due_at FROM unnest($1::text[]) AS named (queue) CROSS JOIN LATERAL (
         SELECT wait_reason, due_at FROM recipients
          WHERE wait_reason ->> 'queue' = named.queue AND ${HELD} AND due_at > now() LIMIT 1) AS held`,
      [[...queues]],
    );
    return new Map(rows.map(({ queue, ...reason }) => [queue, reason]));
  }
}

type HeldReason = Pick<RecipientRow, 'wait_reason' | 'due_at'>;

const queueOf = ({ address }: RecipientRow): string => `domain:${domainOf(address)}`;
