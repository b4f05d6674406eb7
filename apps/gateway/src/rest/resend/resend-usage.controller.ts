import { Controller, Get } from '@nestjs/common';
import { Allowances, type Principal } from '#libs/accounts';
import { LIMITS } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { Config } from '#libs/kernel';
import { StatsStore } from '#libs/stats';
import { Caller } from '../../http/caller.js';
import { RESEND, ResendRoute } from './resend-route.js';

interface Used<Limit> {
  used: number;
  limit: Limit;
}
/** Of mail sent and mail received; accounts have no inbox here. */
interface MailUsed<Limit> extends Used<Limit> {
  sent: number;
  received: 0;
  resets_at: string;
}
interface ResendUsage {
  object: 'usage';
  emails: { daily: MailUsed<null>; monthly: MailUsed<number> };
  contacts: Used<number>;
  segments: Used<number>;
  broadcasts: Used<null>;
  ai_credits: Used<number> & { next_increase_at: null };
  automation_runs: Used<number> & { resets_at: string };
  domains: Used<number>;
  rate_limit: { limit: number; duration: string };
}

const DAY_MS = 24 * 3_600_000;
const WINDOW = '1000ms';
/** Stands for "no limit" where their clients know numbers only; all of them can hold it. */
const ENDLESS = 2_147_483_647;
/** There is nothing of that kind here. */
const NONE: Used<number> = { used: 0, limit: 0 };

@Controller(`${RESEND}/usage`)
export class ResendUsageController {
  constructor(
    private readonly allowances: Allowances,
    private readonly domains: SendingDomains,
    private readonly stats: StatsStore,
    private readonly config: Config,
  ) {}

  /** Their day is the last 24 hours, of which there is no limit here; their month is the calendar's. */
  @Get()
  @ResendRoute('stats.read')
  async get(@Caller() { accountId }: Principal): Promise<ResendUsage> {
    const now = new Date();
    const { limit, used, month, resetsAt } = await this.allowances.usage(accountId);
    const resets_at = resetsAt.toISOString();
    const [daily, monthly, domains] = await Promise.all([
      this.accepted(accountId, new Date(now.getTime() - DAY_MS), now),
      used ?? this.accepted(accountId, new Date(`${month}-01T00:00:00Z`), now),
      this.domains.list(accountId),
    ]);
    const endOfDay = new Date(now.getTime() + DAY_MS).toISOString();
    return {
      object: 'usage',
      emails: {
        daily: { used: daily, limit: null, sent: daily, received: 0, resets_at: endOfDay },
        monthly: { used: monthly, limit: limit ?? ENDLESS, sent: monthly, received: 0, resets_at },
      },
      contacts: NONE,
      segments: NONE,
      broadcasts: { used: 0, limit: null },
      ai_credits: { ...NONE, next_increase_at: null },
      automation_runs: { ...NONE, resets_at },
      domains: { used: domains.length, limit: LIMITS.domainsPerAccount },
      rate_limit: { limit: this.config.settings.RATE_LIMIT_PER_SECOND || ENDLESS, duration: WINDOW },
    };
  }

  /** Recipients in [from, to). */
  private async accepted(accountId: string, from: Date, to: Date): Promise<number> {
    const { totals } = await this.stats.metrics({
      accountId,
      from,
      to,
      timezone: 'UTC',
      granularity: 'day',
      metrics: ['accepted'],
      dimensions: [],
      groupBy: [],
      percentiles: [],
      domainIds: null,
      emailIds: null,
    });
    return totals.accepted ?? 0;
  }
}
