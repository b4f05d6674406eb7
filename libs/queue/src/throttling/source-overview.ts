import { Config, databaseClock } from '#libs/kernel';
import { allowanceOf, type ThrottlingPlan } from '#libs/mta';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { throttlingPlan } from './shared-throttling.js';

/** The warm-up of a source address at one provider, or at all others. */
export interface WarmUpView {
  /** A provider, the domain of a host without one, or null for what every other provider may get. */
  provider: string | null;
  /** Recipients of today (UTC); null once the address is warm there, 0 before the first day. */
  allowance: number | null;
  /** Recipients that delivery processes have reserved today. */
  used: number;
}

/** A source address of SHAPING_FILE. */
export interface SourceView {
  address: string;
  heloName: string;
  pools: string[];
  state: 'warm' | 'warming_up' | 'not_started';
  /** The first day of the warm-up; null without one. */
  startedAt: Date | null;
  /** Providers with an allowance of their own or with mail today, at most `MAX_PROVIDERS`. */
  warmUp: WarmUpView[];
}

const MAX_PROVIDERS = 100;
const TODAY = `
  SELECT provider, sent FROM warmup_counts WHERE source = $1 AND day = $2 ORDER BY sent DESC, provider LIMIT ${MAX_PROVIDERS}`;

/** The source addresses of the service and their warm-up, for the operator. */
@Injectable()
export class SourceOverview {
  private readPlan: ThrottlingPlan | undefined;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Empty if the system chooses the address. */
  async list(): Promise<SourceView[]> {
    const sources = new Map(this.plan.pools.flatMap(({ sources: of }) => of.map((one) => [one.address, one])));
    return Promise.all([...sources.values()].map((source) => this.view(source)));
  }

  /** Read when it is needed first: programs that do not deliver start without the file. */
  private get plan(): ThrottlingPlan {
    return (this.readPlan ??= throttlingPlan(this.config));
  }

  private async view({ address, heloName }: { address: string; heloName: string }): Promise<SourceView> {
    const pools = this.plan.pools.filter(({ sources }) => sources.some((one) => one.address === address));
    const common = { address, heloName, pools: pools.map(({ name }) => name) };
    const plan = this.plan.warmUps.get(address);
    if (plan === undefined) return { ...common, state: 'warm', startedAt: null, warmUp: [] };
    const now = databaseClock.now();
    const used = await this.usedToday(address, new Date(now));
    const names = new Set([...plan.providers.keys(), ...used.keys()]);
    const allowed = (provider: string | null) =>
      allowanceOf(plan, (provider === null ? undefined : plan.providers.get(provider)) ?? plan.curve, now);
    const warmUp = [...names, null].map((provider) => ({
      provider,
      allowance: allowed(provider),
      used: provider === null ? 0 : (used.get(provider) ?? 0),
    }));
    const isWarm = warmUp.every(({ allowance }) => allowance === null);
    const state = now < plan.startedAt ? 'not_started' : isWarm ? 'warm' : 'warming_up';
    return { ...common, state, startedAt: new Date(plan.startedAt), warmUp };
  }

  private async usedToday(source: string, now: Date): Promise<Map<string, number>> {
    const { rows } = await this.database.query<{ provider: string; sent: number }>({
      name: 'warm-up-today',
      text: TODAY,
      values: [source, now.toISOString().slice(0, 10)],
    });
    return new Map(rows.map(({ provider, sent }) => [provider, sent]));
  }
}
