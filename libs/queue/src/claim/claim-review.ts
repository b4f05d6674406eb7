import { Injectable } from '@nestjs/common';
import { wholeAccount } from '#libs/contracts';
import { Accounts } from '#libs/accounts';
import { SendingDomains } from '#libs/domains';
import { systemMail, emailSuppressions, type DeliveryJob } from '#libs/emails';
import { Config, databaseClock } from '#libs/kernel';
import { normaliseAddress } from '#libs/mime';
import { Database, Worker } from '#libs/persistence';
import { SuppressionList } from '#libs/suppressions';
import { failUnsent, type UnsentOutcome, type UnsentRecipient } from '../settle/fail-unsent.js';
import { HeldAccounts } from './held-accounts.js';
import { HeldMail } from './held-mail.js';
import { AttemptJournal } from '../journal/attempt-journal.js';
import { holdJobs } from './requeue.js';

/** The last attempt is scheduled for the end of the lifetime and may be claimed slightly later. */
const EXPIRY_GRACE_MS = 60_000;

/**
 * Checks claimed recipients again, because conditions may have changed since the message was accepted. Lifetime over or
 * domain removed: `failed`. Suppressed meanwhile: `suppressed`. Account blocked, overdue or paused: held. See
 * docs/decisions/017-group-commit.md.
 */
@Injectable()
export class ClaimReview {
  private readonly serviceDomain: string;
  private readonly held: HeldAccounts;
  private readonly heldMail: HeldMail;

  constructor(
    private readonly database: Database,
    private readonly worker: Worker,
    private readonly suppressions: SuppressionList,
    private readonly accounts: Accounts,
    private readonly domains: SendingDomains,
    readonly journal: AttemptJournal,
    { settings }: Config,
  ) {
    this.serviceDomain = settings.SERVICE_DOMAIN;
    this.held = new HeldAccounts(accounts, this.serviceDomain);
    this.heldMail = new HeldMail(database, accounts);
  }

  /** Whether the account of a claimed job was blocked or paused meanwhile; known within a second. */
  isHeld(job: DeliveryJob): Promise<boolean> {
    return this.held.has(job);
  }

  /** Makes held mail due again whose account may send. Returns the number of recipients, which is bounded per call. */
  releaseHeld(): Promise<number> {
    return this.heldMail.release();
  }

  async allowed(jobs: DeliveryJob[]): Promise<DeliveryJob[]> {
    const timely = await this.withoutEnded(jobs, (_, { expiresAt }) =>
      expiresAt.getTime() + EXPIRY_GRACE_MS < databaseClock.now() ? { status: 'failed', reason: 'expired' } : null,
    );
    const known = await this.knownDomains(timely);
    const owned = await this.withoutEnded(timely, ({ email }) =>
      known.has(email.domainId) ? null : { status: 'failed', reason: 'domain_removed' },
    );
    return this.withoutSuppressed(await this.withGoodStanding(owned));
  }

  /** Ids of the sending domains that still exist. */
  private async knownDomains(jobs: DeliveryJob[]): Promise<Set<string>> {
    const accounts = new Map(jobs.map(({ email }) => [email.domainId, email.accountId]));
    const found = await Promise.all([...accounts].map(([id, account]) => this.domains.find(wholeAccount(account), id)));
    return new Set(found.flatMap((domain) => (domain ? [domain.id] : [])));
  }

  private async withGoodStanding(jobs: DeliveryJob[]): Promise<DeliveryJob[]> {
    const ids = [...new Set(jobs.map((job) => job.email.accountId))];
    const blocked = new Set<string>();
    const paused = new Set<string>();
    for (const id of ids) {
      const account = await this.accounts.find(id);
      if (account?.standing !== 'active') blocked.add(id);
      else if (account.sending_pause !== null) paused.add(id);
    }
    if (blocked.size + paused.size === 0) return jobs;
    const isHeld = ({ email }: DeliveryJob) =>
      blocked.has(email.accountId) ||
      (paused.has(email.accountId) && systemMail.stopsWhilePaused(email, this.serviceDomain));
    const held = jobs.filter(isHeld);
    await holdJobs(this.database, this.worker.id, held);
    return jobs.filter((job) => !isHeld(job));
  }

  private async withoutSuppressed(jobs: DeliveryJob[]): Promise<DeliveryJob[]> {
    const found = new Map(
      await Promise.all(
        jobs.map(async (job) => {
          // A test message is delivered to nobody.
          const addresses = job.email.test ? [] : job.recipients.map(({ address }) => normaliseAddress(address));
          const { accountId, domainId, tags } = job.email;
          const isOfService = systemMail.isOwn(job.email, this.serviceDomain);
          const of = { accountId, domainId, tags, isOfService, addresses };
          return [job, await emailSuppressions.addresses(this.suppressions, of)] as const;
        }),
      ),
    );
    return this.withoutEnded(jobs, (job, { address }) => {
      const reason = found.get(job)?.get(normaliseAddress(address));
      return reason ? { status: 'suppressed', reason } : null;
    });
  }

  /** Ends the recipients for which `endOf` returns an outcome; returns the remaining jobs. */
  private async withoutEnded(
    jobs: DeliveryJob[],
    endOf: (job: DeliveryJob, recipient: DeliveryJob['recipients'][number]) => UnsentOutcome | null,
  ): Promise<DeliveryJob[]> {
    const left: DeliveryJob[] = [];
    for (const job of jobs) {
      const ends = job.recipients.flatMap((recipient): UnsentRecipient[] => {
        const end = endOf(job, recipient);
        return end ? [{ recipient, end }] : [];
      });
      if (ends.length > 0)
        await this.database.transaction((tx) => failUnsent(tx, this.worker.id, { email: job.email, ends }));
      const recipients = job.recipients.filter((one) => !ends.some(({ recipient }) => recipient === one));
      if (ends.length === 0) left.push(job);
      else if (recipients.length > 0) left.push({ ...job, recipients });
    }
    return left;
  }
}
