import { Injectable } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { type DomainTraffic, ADVICE_TRAFFIC } from '#libs/domains';
import { databaseClock, Log } from '#libs/kernel';
import { StatsStore, type Dimension, type Group, type Metric, type MetricsResult } from '#libs/stats';
import type DataLoader from 'dataloader';
import { loader, PerOperation } from '../per-operation.js';

const DAY_MS = 86_400_000;
const RATES = ['settled', 'bounced_of_settled', 'complained_of_settled'] as const;

/** Loads the figures that the advice about domains needs. A domain without a result could not be read. */
@Injectable()
export class DomainTrafficLoader extends PerOperation<{ byDomain: DataLoader<string, DomainTraffic | null> }> {
  constructor(
    private readonly stats: StatsStore,
    private readonly log: Log,
  ) {
    super();
  }

  protected override make(caller: Principal) {
    return { byDomain: loader((ids) => this.read(caller, ids)) };
  }

  private async read(caller: Principal, ids: readonly string[]): Promise<Map<string, DomainTraffic>> {
    try {
      const { rows } = await this.query(caller, { domainIds: ids, metrics: RATES, dimensions: ['domain'] });
      const counts = new Map((rows ?? []).map(({ domainId, values }) => [domainId, values]));
      const read = ids.map(async (id) => {
        const values = counts.get(id);
        const [settled, bounceRate, complaintRate] = RATES.map((name) => values?.[name] ?? 0);
        return [id, { settled, bounceRate, complaintRate, ...(await this.causes(caller, id, settled)) }] as const;
      });
      return new Map(await Promise.all(read));
    } catch (error) {
      // The advice about DNS does not depend on the statistics.
      this.log.warn('the statistics for the advice about domains could not be read', { reason: String(error) });
      return new Map();
    }
  }

  /** Further queries only for domains with enough recipients. */
  private async causes(caller: Principal, id: string, recipients: number) {
    if (recipients < ADVICE_TRAFFIC.minimumRecipients)
      return { bounceReasons: [], bounceProviders: [], complaintProviders: [] };
    const by = (group: Group, metrics: readonly Metric[]) =>
      this.query(caller, { domainIds: [id], metrics, groupBy: [group] });
    const [reasons, providers] = await Promise.all([
      by('bounce_class', ['bounced']),
      by('provider', ['bounced', 'complained']),
    ]);
    return {
      bounceReasons: shares(reasons, 'bounceClass', 'bounced'),
      bounceProviders: shares(providers, 'provider', 'bounced'),
      complaintProviders: shares(providers, 'provider', 'complained'),
    };
  }

  private query(
    visibility: Principal,
    of: { domainIds: readonly string[]; metrics: readonly Metric[]; dimensions?: Dimension[]; groupBy?: Group[] },
  ): Promise<MetricsResult> {
    const to = databaseClock.date();
    return this.stats.metrics({
      visibility,
      from: new Date(to.getTime() - ADVICE_TRAFFIC.days * DAY_MS),
      to,
      timezone: 'UTC',
      granularity: 'day',
      dimensions: [],
      groupBy: [],
      percentiles: [],
      emailIds: null,
      ...of,
    });
  }
}

const shares = ({ rows }: MetricsResult, place: 'bounceClass' | 'provider', metric: 'bounced' | 'complained') =>
  (rows ?? []).map((row) => ({ name: row[place] ?? 'unknown', count: row.values[metric] ?? 0 }));
