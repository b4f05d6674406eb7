import { Injectable } from '@nestjs/common';
import { Accounts } from '#libs/accounts';
import { SendingDomains } from '#libs/domains';
import { Config, Shutdown, Wakeups } from '#libs/kernel';
import type { Outcome, WaitReason } from '#libs/mta';
import { Database, GroupCommit, isRetryable, isUnavailable, Worker, type Queryable } from '#libs/persistence';
import { SuppressionList } from '#libs/suppressions';
import { ClaimReview } from './claim-review.js';
import { DueClaims, type ClaimRooms } from './claim-due.js';
import { claimedBy } from './claimed-by.js';
import type { DeliveryJob, StoredContent } from './delivery-job.js';
import { endUnsent } from './end-unsent.js';
import { fullMailboxes } from './full-mailbox.js';
import { hardBounce } from './hard-bounce.js';
import { recordLate } from './late-report.js';
import { holdBack, postpone, type Postponed } from './postpone.js';
import { settleBatch, type SettleItem } from './settle-batch.js';
import { isPlainDelivery, settleDelivered } from './settle-delivered.js';
import { simulatedVerdict, type SimulatedRecipient } from './simulated-verdict.js';
import { judge } from './verdict.js';

const SETTLE_ITEMS = 200;
/** Nobody waits for a settle but the job's own slot; so outcomes that come close together share a transaction. */
const SETTLE_GATHER_MS = 20;
/** What goes back unsent at one time goes back in one statement. */
const POSTPONE_ITEMS = 500;
const POSTPONE_GATHER_MS = 8;
const SETTLE_PAUSE_MS = 200;
const SETTLE_PAUSE_MOST_MS = 3_000;

interface ClaimKey {
  email_id: string;
  ordinal: number;
  fence: number;
}

/**
 * What must be sent, and when. `claim` takes due recipients under this process's worker, `settle` writes down what came
 * of them. No transaction is open in between: a claim lives as long as its worker's heartbeat (details §2).
 */
@Injectable()
export class EmailLedger {
  private readonly settling: GroupCommit<SettleItem, void>;
  private readonly postponing: GroupCommit<Postponed, void>;
  private readonly due: DueClaims;
  private readonly review: ClaimReview;
  private unheldBefore = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly worker: Worker,
    private readonly wakeups: Wakeups,
    private readonly suppressions: SuppressionList,
    accounts: Accounts,
    domains: SendingDomains,
    private readonly shutdown: Shutdown,
  ) {
    this.review = new ClaimReview(database, worker, { suppressions, accounts, domains });
    this.settling = new GroupCommit({
      commit: (items) => this.commitOutcomes(items),
      maxItems: SETTLE_ITEMS,
      gatherMs: SETTLE_GATHER_MS,
      // Half of the slots wait while the other half delivers.
      enoughItems: Math.max(1, config.settings.DELIVERY_CONCURRENCY >> 1),
    });
    this.postponing = new GroupCommit({
      commit: async (items): Promise<void[]> => {
        await postpone(this.database, this.worker.id, items);
        return items.map(() => undefined);
      },
      maxItems: POSTPONE_ITEMS,
      gatherMs: POSTPONE_GATHER_MS,
    });
    this.due = new DueClaims(database, worker);
    shutdown.on('flush', 'settle', () => this.settling.drained());
    shutdown.on('flush', 'postpone', () => this.postponing.drained());
  }

  /**
   * Up to `limit` due recipients as jobs, one per mail and recipient domain, from the domains in turn and of none more
   * than its room; what may not be sent any more is left out.
   */
  async claim(limit: number, rooms: ClaimRooms = { each: limit, of: {} }): Promise<DeliveryJob[]> {
    const jobs = await this.due.claim(limit, rooms);
    return jobs.length === 0 ? jobs : this.review.allowed(jobs);
  }

  /** Seconds for which the oldest due mail has waited to be claimed; 0 when none waits. */
  oldestDue(): Promise<number> {
    return this.due.oldestDue();
  }

  /** True while this job's claim is ours; asked right before MAIL FROM, without a query. */
  holds(job: DeliveryJob): boolean {
    return this.worker.holds(job.life);
  }

  /** The stored body of a claimed mail; null when retention has removed it. */
  async content(job: DeliveryJob): Promise<StoredContent | null> {
    if (job.content) return job.content;
    const { rows } = await this.database.query<StoredContent>({
      name: 'ledger-content',
      text: 'SELECT format, body FROM email_contents WHERE email_id = $1',
      values: [job.mail.id],
    });
    return rows[0] ?? null;
  }

  /** Writes down a job's outcomes, together with those of other jobs that end now; resolves when that is on disk. */
  async settle(job: DeliveryJob, outcomes: readonly Outcome[]): Promise<void> {
    const verdicts = outcomes.flatMap((outcome) => {
      const recipient = job.recipients.find((candidate) => String(candidate.ordinal) === outcome.key);
      return recipient && outcome.kind !== 'abandoned'
        ? [judge(recipient, outcome, this.config.settings.DELIVERY_RETRY_SCHEDULE)]
        : [];
    });
    if (verdicts.length > 0) await this.settling.add({ job, verdicts });
  }

  /** Writes down what the simulator decided, with all that would follow but without suppressions (D-50). */
  async settleSimulated(job: DeliveryJob, decided: readonly SimulatedRecipient[]): Promise<void> {
    const suppressed = decided.filter(({ simulation }) => simulation.result === 'suppressed');
    if (suppressed.length > 0) {
      const ends = suppressed.map(({ recipient }) => ({
        recipient,
        end: { status: 'suppressed', reason: 'manual' } as const,
      }));
      await this.database.transaction((tx) => endUnsent(tx, this.worker.id, { mail: job.mail, ends }));
      this.wakeups.ring('outbox');
    }
    const scheduleMs = this.config.settings.DELIVERY_RETRY_SCHEDULE;
    const verdicts = decided.filter((one) => !suppressed.includes(one)).map((one) => simulatedVerdict(one, scheduleMs));
    if (verdicts.length > 0) await this.settling.add({ job, verdicts });
  }

  /** Gives a job back unsent, to be due again only then (null: as it was); `reason` is shown while it waits. */
  postpone(job: DeliveryJob, until: Date | null, reason: WaitReason | null = null): Promise<void> {
    return this.postponing.add({ job, until, reason });
  }

  /**
   * The queue of these recipient domains is closed: what is due there and unclaimed waits until then. Bounded; returns
   * for how many recipients that was written.
   */
  holdBack(domains: readonly string[], until: Date, reason: WaitReason): Promise<number> {
    return holdBack(this.database, { domains, until, reason });
  }

  /**
   * Frees claims of ours that none of the `held` jobs stands for: a commit whose answer was lost with its connection
   * claims what nobody knows of. Only what was unknown at the look before too, since a job in the making is not held yet.
   * Returns how many were freed.
   */
  async freeUnheld(held: readonly DeliveryJob[]): Promise<number> {
    const known = new Set(held.flatMap((job) => job.recipients.map(({ ordinal }) => `${job.mail.id} ${ordinal}`)));
    const { rows } = await this.database.query<ClaimKey>(
      'SELECT email_id, ordinal, fence FROM recipients WHERE claimed_by = $1',
      [this.worker.id],
    );
    const unheld = rows.filter((row) => !known.has(`${row.email_id} ${row.ordinal}`));
    const again = unheld.filter((row) => this.unheldBefore.has(`${row.email_id} ${row.ordinal}`));
    this.unheldBefore = new Set(unheld.map((row) => `${row.email_id} ${row.ordinal}`));
    await this.giveBack(again);
    return again.length;
  }

  /** Gives claims back unsent, to be taken up again at once: by us, or by whoever is alive. */
  async release(jobs: readonly DeliveryJob[]): Promise<void> {
    const keys = jobs.flatMap((job) =>
      job.recipients.map(({ ordinal, fence }) => ({ email_id: job.mail.id, ordinal, fence })),
    );
    await this.giveBack(keys);
  }

  private async giveBack(keys: readonly ClaimKey[]): Promise<void> {
    if (keys.length === 0) return;
    await this.database.query(
      `UPDATE recipients r SET claimed_by = NULL, status = CASE WHEN r.attempts = 0 THEN 'queued' ELSE 'deferred' END
       FROM (SELECT * FROM json_to_recordset($1::json) AS v(email_id text, ordinal smallint, fence int) LIMIT $3) AS v
       WHERE r.email_id = v.email_id AND r.ordinal = v.ordinal AND ${claimedBy('$2')} AND r.fence = v.fence`,
      [JSON.stringify(keys), this.worker.id, keys.length],
    );
  }

  private async commitOutcomes(items: SettleItem[]): Promise<(void | Error)[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.writeItems(items);
        this.wakeups.ring('outbox');
        return items.map(() => undefined);
      } catch (error) {
        const again = isRetryable(error) || isUnavailable(error);
        // One outcome that cannot be written must not cost its neighbours.
        if (!again && items.length > 1) return this.oneByOne(items);
        // The mail has gone out: its outcome is written down as soon as the database is back, however long that takes.
        // A process that stops first leaves its claims to their end: a duplicate within the promised bound.
        if (!again || this.shutdown.begun) return items.map(() => error as Error);
        await new Promise((resolve) => setTimeout(resolve, Math.min(SETTLE_PAUSE_MS * attempt, SETTLE_PAUSE_MOST_MS)));
      }
    }
  }

  private async oneByOne(items: SettleItem[]): Promise<(void | Error)[]> {
    const results: (void | Error)[] = [];
    for (const item of items) results.push(...(await this.commitOutcomes([item])));
    return results;
  }

  private async writeItems(items: SettleItem[]): Promise<void> {
    const plain = items.filter(isPlainDelivery);
    const left = (await settleDelivered(this.database, this.worker.id, plain))
      ? items.filter((item) => !isPlainDelivery(item))
      : items;
    if (left.length > 0) await this.database.transaction((tx) => this.writeOutcomes(tx, left));
  }

  private async writeOutcomes(tx: Queryable, items: SettleItem[]): Promise<void> {
    const applied = await settleBatch(tx, this.worker.id, items);
    for (const { job, verdict } of applied) {
      const bounce = hardBounce(job, verdict);
      if (bounce) await this.suppressions.add(tx, bounce);
      const report = verdict.simulated?.report;
      if (report)
        await recordLate(tx, { mail: job.mail, recipient: verdict.recipient, at: verdict.outcome.endedAt, report });
    }
    for (const entry of await fullMailboxes(tx, applied)) await this.suppressions.add(tx, entry);
  }
}
