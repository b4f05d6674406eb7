import type { Accounts } from '#libs/accounts';
import type { RoutedEvent } from '#libs/contracts';
import { normaliseAddress } from '#libs/mime';
import { appendEvents, type Database, type Queryable, type Worker } from '#libs/persistence';
import type { SuppressionList } from '#libs/suppressions';
import { emailEvent } from '../email-events.js';
import { aggregateStatus } from '../email-status.js';
import type { DeliveryJob } from './delivery-job.js';

/** A blocked account's mail is held, not lost; it is looked at again after this long. */
const HELD_SECONDS = 60;

type Origin = 'bounce' | 'complaint' | 'manual' | 'unsubscribe';

/**
 * The second look, at claim: what was right when the mail was accepted may have changed while it waited (details §2).
 * Suppressed meanwhile → `suppressed` and its event; account blocked or overdue → held.
 */
export class ClaimReview {
  constructor(
    private readonly database: Database,
    private readonly worker: Worker,
    private readonly suppressions: SuppressionList,
    private readonly accounts: Accounts,
  ) {}

  async allowed(jobs: DeliveryJob[]): Promise<DeliveryJob[]> {
    const standing = await this.withGoodStanding(jobs);
    const checked = await Promise.all(standing.map((job) => this.withoutSuppressed(job)));
    return checked.filter((job) => job.recipients.length > 0);
  }

  private async withGoodStanding(jobs: DeliveryJob[]): Promise<DeliveryJob[]> {
    const ids = [...new Set(jobs.map((job) => job.mail.accountId))];
    const blocked = new Set<string>();
    for (const id of ids) if ((await this.accounts.find(id))?.standing !== 'active') blocked.add(id);
    if (blocked.size === 0) return jobs;
    const held = jobs.filter((job) => blocked.has(job.mail.accountId));
    await this.hold(held);
    return jobs.filter((job) => !blocked.has(job.mail.accountId));
  }

  private async hold(jobs: DeliveryJob[]): Promise<void> {
    const keys = jobs.flatMap((job) => job.recipients.map((r) => ({ email_id: job.mail.id, ordinal: r.ordinal })));
    await this.database.query(
      `UPDATE recipients r SET claimed_by = NULL, due_at = now() + make_interval(secs => $3),
              status = CASE WHEN r.attempts = 0 THEN 'queued' ELSE 'deferred' END
       FROM json_to_recordset($1::json) AS v(email_id text, ordinal smallint)
       WHERE r.email_id = v.email_id AND r.ordinal = v.ordinal AND r.claimed_by = $2`,
      [JSON.stringify(keys), this.worker.id, HELD_SECONDS],
    );
  }

  private async withoutSuppressed(job: DeliveryJob): Promise<DeliveryJob> {
    const found = await this.suppressions.matching(
      job.mail.accountId,
      job.recipients.map((r) => normaliseAddress(r.address)),
    );
    if (found.size === 0) return job;
    const hits = job.recipients.flatMap((recipient) => {
      const reason = found.get(normaliseAddress(recipient.address));
      return reason ? [{ recipient, reason }] : [];
    });
    await this.database.transaction((tx) => this.markSuppressed(tx, job, hits));
    return {
      ...job,
      recipients: job.recipients.filter((recipient) => !hits.some((hit) => hit.recipient === recipient)),
    };
  }

  private async markSuppressed(
    tx: Queryable,
    job: DeliveryJob,
    hits: { recipient: DeliveryJob['recipients'][number]; reason: Origin }[],
  ): Promise<void> {
    const { rows } = await tx.query<{ sequence: number }>(
      'SELECT sequence FROM emails WHERE id = $1 FOR NO KEY UPDATE',
      [job.mail.id],
    );
    const { rows: changed } = await tx.query<{ ordinal: number }>(
      `UPDATE recipients SET status = 'suppressed', due_at = NULL, claimed_by = NULL
       WHERE email_id = $1 AND ordinal = ANY($2) AND claimed_by = $3 RETURNING ordinal`,
      [job.mail.id, hits.map((hit) => hit.recipient.ordinal), this.worker.id],
    );
    let { sequence } = rows[0];
    const events: RoutedEvent[] = hits
      .filter((hit) => changed.some((row) => row.ordinal === hit.recipient.ordinal))
      .map((hit) =>
        emailEvent(job.mail, {
          type: 'email.suppressed',
          recipient: hit.recipient.address,
          sequence: ++sequence,
          at: new Date(),
          added: {
            reason: hit.reason,
            suppressed: { type: hit.reason, message: 'The address is on the suppression list.' },
          },
        }),
      );
    const statuses = await tx.query<{ status: Parameters<typeof aggregateStatus>[0][number] }>(
      'SELECT status FROM recipients WHERE email_id = $1',
      [job.mail.id],
    );
    await tx.query(
      `UPDATE emails SET sequence = $2, status = $3, last_event = 'suppressed', updated_at = now() WHERE id = $1`,
      [job.mail.id, sequence, aggregateStatus(statuses.rows.map((row) => row.status))],
    );
    await appendEvents(tx, events);
  }
}
