import { Injectable } from '@nestjs/common';
import { Allowances, type AllowanceUsage } from '#libs/accounts';
import type { Visibility } from '#libs/contracts';
import { EmailQueries } from '#libs/emails';

/** The monthly allowance as an API key sees it. */
@Injectable()
export class VisibleUsage {
  constructor(
    private readonly allowances: Allowances,
    private readonly emails: EmailQueries,
  ) {}

  /**
   * The figures of the account, also for a test key. A key that is limited to domains sees the units that these domains used;
   * `remaining` is null for it, because it would tell the use of the other domains.
   */
  async of(visibility: Visibility): Promise<AllowanceUsage> {
    const usage = await this.allowances.usage(visibility.accountId);
    if (visibility.domainIds === null || usage.used === null) return usage;
    const startOfMonth = new Date(`${usage.month}-01T00:00:00Z`);
    const used = await this.emails.unitsSince({ ...visibility, mode: 'live' }, startOfMonth);
    return { ...usage, used, remaining: null };
  }
}
