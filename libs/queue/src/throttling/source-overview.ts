import { Config, databaseClock } from '#libs/kernel';
import { allowanceOf, type ThrottlingPlan } from '#libs/mta';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import type { SourceView } from '../queue.resource.js';
import { sourcePools } from './foreign-sources.js';
import { throttlingPlan } from './shared-throttling.js';

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
    const sources = new Map(sourcePools(this.plan).flatMap(({ sources: of }) => of.map((one) => [one.address, one])));
    return Promise.all([...sources.values()].map((source) => this.view(source)));
  }

  /** Read when it is needed first: programs that do not deliver start without the file. */
  private get plan(): ThrottlingPlan {
    return (this.readPlan ??= throttlingPlan(this.config));
  }

  private async view({ address, heloName }: { address: string; heloName: string }): Promise<SourceView> {
    const pools = sourcePools(this.plan).filter(({ sources }) => sources.some((one) => one.address === address));
    const common = { address, helo_name: heloName, pools: pools.map(({ name }) => name) };
    const plan = this.plan.warmUps.get(address);
    if (plan === undefined) return { ...common, state: 'warm', started_at: null, warm_up: [] };
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
    return { ...common, state, started_at: new Date(plan.startedAt).toISOString(), warm_up: warmUp };
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
