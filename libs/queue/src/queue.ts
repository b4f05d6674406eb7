import { Injectable } from '@nestjs/common';
import { AbuseBrakes } from '#libs/accounts';
import { systemMail, type DeliveryJob } from '#libs/emails';
import { backoffMs, Config, LocalNotifications, Shutdown, sleep } from '#libs/kernel';
import type { Outcome, WaitReason } from '#libs/mta';
import { Database, GroupCommit, Worker, type Queryable, type StoredClaim, databaseErrors } from '#libs/persistence';
import { SuppressionList } from '#libs/suppressions';
import { ClaimReview } from './claim/claim-review.js';
import { DueClaims, type ClaimLimits } from './claim/claim-due.js';
import { attemptsOf } from './journal/attempt-journal.js';
import { claimedBy, requeueDomains, requeueJobs, type ClosedDomains, type Requeued } from './claim/requeue.js';
import { failUnsent } from './settle/fail-unsent.js';
import { fullMailboxSuppressions, hardBounceSuppression } from './settle/suppress-on-bounce.js';
import { recordLateReport } from './settle/late-bounce.js';
import { settleBatch, type Applied, type SettleItem } from './settle/settle-batch.js';
import { isPlainDelivery, settleDelivered } from './settle/settle-delivered.js';
import { simulatedOutcomeOf, type SimulatedRecipient } from './settle/simulated-outcome.js';
import { recipientOutcome, type RecipientOutcome } from './settle/recipient-outcome.js';

const SETTLE_ITEMS = 200;
/** Nothing but the permit of the job waits for a settle, so outcomes that end close together share a transaction. */
const SETTLE_GATHER_MS = 20;
/** Jobs requeued at the same time share a statement. */
const REQUEUE_ITEMS = 500;
const REQUEUE_GATHER_MS = 8;

/** The claim of one recipient as the database has it. */
export interface QueueClaim extends StoredClaim {
  email_id: string;
  ordinal: number;
  fence: number;
}

const claimKey = (emailId: string, { ordinal, fence }: { ordinal: number; fence: number }): string =>
  `${emailId} ${ordinal} ${fence}`;

/** The keys of the claims of a job, see `StoredClaim`. */
export const claimKeysOf = ({ email, recipients }: DeliveryJob): string[] =>
  recipients.map((recipient) => claimKey(email.id, recipient));

/**
 * The queue of messages to be delivered. `claim` takes due recipients for the worker of this process, `settle` records
 * their outcome. No transaction is open in between: a claim is valid as long as its worker's heartbeat. See
 * docs/decisions/007-claims-and-heartbeats.md.
 */
@Injectable()
export class Queue {
  private readonly settling: GroupCommit<SettleItem, void>;
  private readonly requeueing: GroupCommit<Requeued, void>;
  private readonly due: DueClaims;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly worker: Worker,
    private readonly notifications: LocalNotifications,
    private readonly suppressions: SuppressionList,
    private readonly review: ClaimReview,
    private readonly shutdown: Shutdown,
    private readonly brakes: AbuseBrakes,
  ) {
    this.settling = new GroupCommit({
      commit: (items) => this.commitOutcomes(items),
      maxItems: SETTLE_ITEMS,
      gatherMs: SETTLE_GATHER_MS,
      // Half of the permits wait while the other half delivers.
      enoughItems: Math.max(1, config.settings.DELIVERY_CONCURRENCY >> 1),
    });
    this.requeueing = new GroupCommit({
      commit: async (items): Promise<void[]> => {
        await requeueJobs(this.database, this.worker.id, items);
        this.review.journal.end(items.flatMap(({ job }) => attemptsOf(job)));
        return items.map(() => undefined);
      },
      maxItems: REQUEUE_ITEMS,
      gatherMs: REQUEUE_GATHER_MS,
    });
    this.due = new DueClaims(database, worker, config.settings.PLAN_WEIGHTS);
    shutdown.on('flush', 'settle', () => this.settling.drained());
    shutdown.on('flush', 'requeue', () => this.requeueing.drained());
  }

  /**
   * Claims up to `limit` due recipients, as one job per message and recipient domain, within the limits of each domain.
   * Recipients to whom nothing may be sent any more are left out.
   */
  async claim(limit: number, limits: ClaimLimits = { perDomain: limit, byDomain: {} }): Promise<DeliveryJob[]> {
    const jobs = await this.due.claim(limit, limits);
    return jobs.length === 0 ? jobs : this.review.allowed(jobs);
  }

  /** Age in seconds of the oldest recipient that is due and unclaimed; 0 without one. */
  oldestDue(): Promise<number> {
    return this.due.oldestDue();
  }

  /** True while the claim of this job is valid. Called right before MAIL FROM; makes no query. */
  isClaimValid(job: DeliveryJob): boolean {
    return this.worker.holds(job.epoch);
  }

  /**
   * Called right before MAIL: true if the attempt is in the delivery journal, if there is one, and its claim is still valid.
   */
  async begin(job: DeliveryJob): Promise<boolean> {
    return (await this.review.journal.begin(job)) && this.isClaimValid(job);
  }

  /** False while the delivery journal cannot be written: messages then wait in the database. */
  get isJournalWritten(): boolean {
    return this.review.journal.isWritten;
  }

  /** True if the account was blocked or paused since the job was claimed. Called right before MAIL FROM. */
  isHeld(job: DeliveryJob): Promise<boolean> {
    return this.review.isHeld(job);
  }

  /** Makes held mail due again whose account may send, in batches; returns the number of recipients. */
  releaseHeld(): Promise<number> {
    return this.review.releaseHeld();
  }

  /** Records the outcomes of a job, together with those of other jobs that end now; resolves when they are on disk. */
  async settle(job: DeliveryJob, outcomes: readonly Outcome[]): Promise<void> {
    const recorded = outcomes.flatMap((outcome) => {
      const recipient = job.recipients.find((candidate) => String(candidate.ordinal) === outcome.key);
      return recipient && outcome.kind !== 'abandoned'
        ? [recipientOutcome(recipient, outcome, this.config.settings.DELIVERY_RETRY_SCHEDULE)]
        : [];
    });
    if (recorded.length > 0) await this.settling.add({ job, outcomes: recorded });
  }

  /** Records simulated outcomes, with everything that follows from them except suppressions. */
  async settleSimulated(job: DeliveryJob, decided: readonly SimulatedRecipient[]): Promise<void> {
    const suppressed = decided.filter(({ simulation }) => simulation.result === 'suppressed');
    if (suppressed.length > 0) {
      const ends = suppressed.map(({ recipient }) => ({
        recipient,
        end: { status: 'suppressed', reason: 'manual' } as const,
      }));
      await this.database.transaction((tx) => failUnsent(tx, this.worker.id, { email: job.email, ends }));
      this.notifications.notify('outbox');
    }
    const scheduleMs = this.config.settings.DELIVERY_RETRY_SCHEDULE;
    const outcomes = decided
      .filter((one) => !suppressed.includes(one))
      .map((one) => simulatedOutcomeOf(one, scheduleMs));
    if (outcomes.length > 0) await this.settling.add({ job, outcomes });
  }

  /** Returns a job without an attempt. `until`: the new due time, null: unchanged; `reason` is shown while it waits. */
  requeue(job: DeliveryJob, until: Date | null, reason: WaitReason | null = null): Promise<void> {
    return this.requeueing.add({ job, until, reason });
  }

  /**
   * Delays the unclaimed recipients of these domains, whose queue is closed. Returns the number of recipients, which is
   * bounded per call.
   */
  requeueDomains(of: Omit<ClosedDomains, 'penalised'>): Promise<number> {
    return requeueDomains(this.database, { ...of, penalised: [...this.penalised] });
  }

  /** Accounts whose mail leaves from the penalty pool; up to date within a second. */
  get penalised(): ReadonlySet<string> {
    return this.brakes.penalised;
  }

  /** All claims of this worker, also those that no job stands for. */
  async storedClaims(): Promise<QueueClaim[]> {
    const { rows } = await this.database.query<Omit<QueueClaim, 'key'>>(
      'SELECT email_id, ordinal, fence FROM recipients WHERE claimed_by = $1',
      [this.worker.id],
    );
    return rows.map((row) => ({ ...row, key: claimKey(row.email_id, row) }));
  }

  /** Releases claims without an attempt; any worker may claim them at once. */
  async release(jobs: readonly DeliveryJob[]): Promise<void> {
    const keys = jobs.flatMap((job) =>
      job.recipients.map(({ ordinal, fence }) => ({ email_id: job.email.id, ordinal, fence })),
    );
    await this.releaseClaims(keys);
  }

  /** The same for claims as the database has them. */
  async releaseClaims(keys: readonly Omit<QueueClaim, 'key'>[]): Promise<void> {
    if (keys.length === 0) return;
    await this.database.query(
      `UPDATE recipients r SET claimed_by = NULL, status = CASE WHEN r.attempts = 0 THEN 'queued' ELSE 'deferred' END
       FROM (SELECT * FROM json_to_recordset($1::json) AS v(email_id text, ordinal smallint, fence int) LIMIT $3) AS v
       WHERE r.email_id = v.email_id AND r.ordinal = v.ordinal AND ${claimedBy('$2')} AND r.fence = v.fence`,
      [JSON.stringify(keys), this.worker.id, keys.length],
    );
    this.review.journal.end(keys.map(({ email_id, ordinal, fence }) => [email_id, ordinal, fence]));
  }

  private async commitOutcomes(items: SettleItem[]): Promise<(void | Error)[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        this.noteEnds(await this.writeItems(items));
        this.notifications.notify('outbox');
        return items.map(() => undefined);
      } catch (error) {
        const again = databaseErrors.isRetryable(error) || databaseErrors.isUnavailable(error);
        // An outcome that cannot be written must not affect the others.
        if (!again && items.length > 1) return this.oneByOne(items);
        // The message was sent: its outcome is recorded as soon as the database is available again, however long that takes.
        // A process that stops first leaves its claims to expire: a duplicate within the promised bound.
        if (!again || this.shutdown.begun) return items.map(() => error as Error);
        await sleep(backoffMs(attempt));
      }
    }
  }

  private async oneByOne(items: SettleItem[]): Promise<(void | Error)[]> {
    const results: (void | Error)[] = [];
    for (const item of items) results.push(...(await this.commitOutcomes([item])));
    return results;
  }

  /** The outcomes that were written. */
  private async writeItems(items: SettleItem[]): Promise<Applied[]> {
    const plain = items.filter(isPlainDelivery);
    const isWritten = await settleDelivered(this.database, this.worker.id, plain);
    const written = isWritten ? plain.map(({ job, outcomes: [outcome] }) => ({ job, outcome })) : [];
    const left = isWritten ? items.filter((item) => !isPlainDelivery(item)) : items;
    if (left.length > 0) written.push(...(await this.database.transaction((tx) => this.writeOutcomes(tx, left))));
    return written;
  }

  private noteEnds(written: readonly Applied[]): void {
    this.countEnds(written);
    const attemptsThat = (isDeferred: boolean) =>
      written
        .filter(({ outcome }) => (outcome.status === 'deferred') === isDeferred)
        .flatMap(({ job, outcome }) => attemptsOf({ ...job, recipients: [outcome.recipient] }));
    this.review.journal.end(attemptsThat(true));
    this.review.journal.settle(attemptsThat(false));
  }

  /** For the rates of bounces and of block replies: live messages that left this service. */
  private countEnds(written: readonly Applied[]): void {
    for (const { job, outcome } of written) {
      const isCounted = !outcome.simulated && !job.email.test;
      if (!isCounted || systemMail.isOwn(job.email, this.config.settings.SERVICE_DOMAIN)) continue;
      if (isBlock(outcome)) this.brakes.countBlock(job.email.accountId);
      if (outcome.status === 'deferred') continue;
      const isHard = outcome.status === 'bounced' && outcome.bounceType === 'hard';
      this.brakes.count(job.email.accountId, isHard ? 'hard_bounce' : 'other');
    }
  }

  private async writeOutcomes(tx: Queryable, items: SettleItem[]): Promise<Applied[]> {
    const applied = await settleBatch(tx, this.worker.id, items);
    for (const { job, outcome } of applied) {
      const bounce = hardBounceSuppression(job, outcome, this.config.settings.SERVICE_DOMAIN);
      if (bounce) await this.suppressions.add(tx, bounce);
      const report = outcome.simulated?.report;
      if (report)
        await recordLateReport(tx, {
          email: job.email,
          recipient: outcome.recipient,
          at: outcome.attempt.endedAt,
          report,
        });
    }
    for (const entry of await fullMailboxSuppressions(tx, applied, this.config.settings.SERVICE_DOMAIN))
      await this.suppressions.add(tx, entry);
    return applied;
  }
}

/** A server refused or deferred the message because of what it is or who sends it, not because of the recipient. */
const isBlock = ({ attempt }: RecipientOutcome): boolean =>
  attempt.kind !== 'delivered' && attempt.class === 'policy' && attempt.reply.code !== null;
