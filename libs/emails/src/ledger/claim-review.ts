import type { Accounts } from '#libs/accounts';
import type { SendingDomains } from '#libs/domains';
import { normaliseAddress } from '#libs/mime';
import type { Database, Worker } from '#libs/persistence';
import type { SuppressionList } from '#libs/suppressions';
import type { ClaimedRecipient, DeliveryJob } from './delivery-job.js';
import { endUnsent, type UnsentEnd, type UnsentRecipient } from './end-unsent.js';
import { postpone } from './postpone.js';

/** A blocked account's mail is held, not lost; it is looked at again after this long. */
const HELD_MS = 60_000;
/** The last attempt falls on the end of the lifetime and may be claimed a little later; what is older is past it. */
const EXPIRY_GRACE_MS = 60_000;

interface Neighbours {
  suppressions: SuppressionList;
  accounts: Accounts;
  domains: SendingDomains;
}

/**
 * The second look, at claim: what was right when the mail was accepted may have changed while it waited (details §2).
 * Lifetime over, or the domain removed → `failed`; suppressed meanwhile → `suppressed`, each with its event; account
 * blocked or overdue → held.
 */
export class ClaimReview {
  constructor(
    private readonly database: Database,
    private readonly worker: Worker,
    private readonly neighbours: Neighbours,
  ) {}

  async allowed(jobs: DeliveryJob[]): Promise<DeliveryJob[]> {
    const timely = await this.withoutEnded(jobs, (_, { expiresAt }) =>
      expiresAt.getTime() + EXPIRY_GRACE_MS < Date.now() ? { status: 'failed', reason: 'expired' } : null,
    );
    const known = await this.knownDomains(timely);
    const owned = await this.withoutEnded(timely, ({ mail }) =>
      known.has(mail.domainId) ? null : { status: 'failed', reason: 'domain_removed' },
    );
    return this.withoutSuppressed(await this.withGoodStanding(owned));
  }

  /** Ids of the sending domains that are still there. */
  private async knownDomains(jobs: DeliveryJob[]): Promise<Set<string>> {
    const accounts = new Map(jobs.map(({ mail }) => [mail.domainId, mail.accountId]));
    const found = await Promise.all([...accounts].map(([id, account]) => this.neighbours.domains.find(account, id)));
    return new Set(found.flatMap((domain) => (domain ? [domain.id] : [])));
  }

  private async withGoodStanding(jobs: DeliveryJob[]): Promise<DeliveryJob[]> {
    const ids = [...new Set(jobs.map((job) => job.mail.accountId))];
    const blocked = new Set<string>();
    for (const id of ids) if ((await this.neighbours.accounts.find(id))?.standing !== 'active') blocked.add(id);
    if (blocked.size === 0) return jobs;
    const held = jobs.filter((job) => blocked.has(job.mail.accountId));
    const until = new Date(Date.now() + HELD_MS);
    await postpone(
      this.database,
      this.worker.id,
      held.map((job) => ({ job, until, reason: null })),
    );
    return jobs.filter((job) => !blocked.has(job.mail.accountId));
  }

  private async withoutSuppressed(jobs: DeliveryJob[]): Promise<DeliveryJob[]> {
    const found = new Map(
      await Promise.all(
        jobs.map(async (job) => {
          // A test mail reaches nobody, so nobody needs to be spared it (D-66).
          const addresses = job.mail.test ? [] : job.recipients.map(({ address }) => normaliseAddress(address));
          const { accountId, domainId } = job.mail;
          return [job, await this.neighbours.suppressions.matching(accountId, addresses, domainId)] as const;
        }),
      ),
    );
    return this.withoutEnded(jobs, (job, { address }) => {
      const reason = found.get(job)?.get(normaliseAddress(address));
      return reason ? { status: 'suppressed', reason } : null;
    });
  }

  /** Ends the recipients for whom `endOf` says so; what is left of the jobs. */
  private async withoutEnded(
    jobs: DeliveryJob[],
    endOf: (job: DeliveryJob, recipient: ClaimedRecipient) => UnsentEnd | null,
  ): Promise<DeliveryJob[]> {
    const left: DeliveryJob[] = [];
    for (const job of jobs) {
      const ends = job.recipients.flatMap((recipient): UnsentRecipient[] => {
        const end = endOf(job, recipient);
        return end ? [{ recipient, end }] : [];
      });
      if (ends.length > 0)
        await this.database.transaction((tx) => endUnsent(tx, this.worker.id, { mail: job.mail, ends }));
      const recipients = job.recipients.filter((one) => !ends.some(({ recipient }) => recipient === one));
      if (ends.length === 0) left.push(job);
      else if (recipients.length > 0) left.push({ ...job, recipients });
    }
    return left;
  }
}
