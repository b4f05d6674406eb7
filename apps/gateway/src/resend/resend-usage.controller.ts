import { Controller, Get } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { LIMITS, type Visibility } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { Config, databaseClock } from '#libs/kernel';
import { StatsStore } from '#libs/stats';
import { Caller } from '../http/caller.js';
import { VisibleUsage } from '../rest/usage/visible-usage.js';
import { RESEND, ResendRoute } from './resend-route.js';

interface Used<Limit> {
  used: number;
  limit: Limit;
}
/** Sent and received emails. Accounts cannot receive emails here. */
interface EmailsUsed<Limit> extends Used<Limit> {
  sent: number;
  received: 0;
  resets_at: string;
}
interface ResendUsage {
  object: 'usage';
  emails: { daily: EmailsUsed<null>; monthly: EmailsUsed<number> };
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
/** Represents "no limit" in a field that must be a number: the largest 32-bit integer, which every client can store. */
const UNLIMITED = 2_147_483_647;
/** The usage of a feature that does not exist here. */
const UNUSED: Used<number> = { used: 0, limit: 0 };

@Controller(`${RESEND}/usage`)
export class ResendUsageController {
  constructor(
    private readonly usage: VisibleUsage,
    private readonly domains: SendingDomains,
    private readonly stats: StatsStore,
    private readonly config: Config,
  ) {}

  /** The daily usage covers the last 24 hours and has no limit here; the monthly usage covers the calendar month. */
  @Get()
  @ResendRoute('stats.read')
  async get(@Caller() caller: Principal): Promise<ResendUsage> {
    const now = databaseClock.date();
    const { limit, used, month, resetsAt } = await this.usage.of(caller);
    // A test key sees the figures of the account, as at `GET /usage`.
    const visibility: Visibility = { ...caller, mode: 'live' };
    const resets_at = resetsAt.toISOString();
    const [daily, monthly, domains] = await Promise.all([
      this.accepted(visibility, new Date(now.getTime() - DAY_MS), now),
      used ?? this.accepted(visibility, new Date(`${month}-01T00:00:00Z`), now),
      this.domains.list(caller),
    ]);
    const endOfDay = new Date(now.getTime() + DAY_MS).toISOString();
    return {
      object: 'usage',
      emails: {
        daily: { used: daily, limit: null, sent: daily, received: 0, resets_at: endOfDay },
        monthly: { used: monthly, limit: limit ?? UNLIMITED, sent: monthly, received: 0, resets_at },
      },
      contacts: UNUSED,
      segments: UNUSED,
      broadcasts: { used: 0, limit: null },
      ai_credits: { ...UNUSED, next_increase_at: null },
      automation_runs: { ...UNUSED, resets_at },
      domains: { used: domains.length, limit: LIMITS.domainsPerAccount },
      rate_limit: { limit: this.config.settings.RATE_LIMIT_PER_SECOND || UNLIMITED, duration: WINDOW },
    };
  }

  /** The number of accepted recipients in [from, to). */
  private async accepted(visibility: Visibility, from: Date, to: Date): Promise<number> {
    const { totals } = await this.stats.metrics({
      visibility,
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
