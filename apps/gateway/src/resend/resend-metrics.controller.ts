import { Controller, Get, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { SendingDomains } from '#libs/domains';
import { StatsStore, type MetricsRow, type MetricValues } from '#libs/stats';
import { Caller } from '../http/caller.js';
import { QueryPipe } from '../rest/validation/query-pipe.js';
import { toMetricsQuery } from '../rest/stats/stats-query.js';
import { itemsOf } from '../rest/stats/stats-rules.js';
import { toResendId } from './resend-id.js';
import {
  toNativeIds,
  RESEND_GRANULARITIES,
  RESEND_METRICS,
  ResendMetricsQuery,
  type ResendDimension,
  type ResendGranularity,
  type ResendMetric,
} from './resend-metrics.dto.js';
import { RESEND, ResendRoute } from './resend-route.js';

type ResendValues = Partial<Record<ResendMetric, number>>;
interface ResendPlace {
  period?: string;
  domain_id?: string;
  domain_name?: string;
  email_id?: string;
}
interface ResendMetrics {
  object: 'metrics';
  start_date: string;
  end_date: string;
  metrics: ResendMetric[];
  dimensions: ResendDimension[];
  granularity: ResendGranularity;
  totals: ResendValues;
  /** Only with `dimensions`. */
  data?: (ResendPlace & ResendValues)[];
}

@Controller(`${RESEND}/emails/metrics`)
export class ResendMetricsController {
  constructor(
    private readonly stats: StatsStore,
    private readonly domains: SendingDomains,
  ) {}

  @Get()
  @ResendRoute('stats.read')
  async metrics(@Caller() caller: Principal, @Query(QueryPipe) given: ResendMetricsQuery): Promise<ResendMetrics> {
    const metrics = given.metrics === undefined ? [...RESEND_METRICS] : (itemsOf(given.metrics) as ResendMetric[]);
    const dimensions = given.dimensions === undefined ? [] : (itemsOf(given.dimensions) as ResendDimension[]);
    const granularity = given.granularity ?? 'daily';
    const request = toRequest(caller, { ...given, granularity }, metrics);
    const { totals, rows } = await this.stats.metrics(request);
    const names = dimensions.includes('domain') ? await this.domainNames(caller) : new Map<string, string>();
    return {
      object: 'metrics',
      start_date: request.from.toISOString(),
      end_date: request.to.toISOString(),
      metrics,
      dimensions,
      granularity,
      totals: valuesOf(metrics, totals),
      ...(rows === null
        ? {}
        : { data: rows.map((row) => ({ ...placeOf(row, names), ...valuesOf(metrics, row.values) })) }),
    };
  }

  private async domainNames(caller: Principal): Promise<Map<string, string>> {
    return new Map((await this.domains.list(caller)).map(({ id, name }) => [id, name]));
  }
}

type Given = Omit<ResendMetricsQuery, 'granularity'> & { granularity: ResendGranularity };

function toRequest(caller: Principal, given: Given, metrics: ResendMetric[]) {
  const { domain_id, email_id, granularity, ...rest } = given;
  const counted = metrics.filter((name) => name !== 'received');
  return toMetricsQuery(caller, {
    ...rest,
    // At least one metric is required, even if only `received` was requested.
    metrics: counted.join(',') || 'sent',
    granularity: RESEND_GRANULARITIES[granularity],
    ...(domain_id === undefined ? {} : { domain_id: toNativeIds(domain_id, 'dom') }),
    ...(email_id === undefined ? {} : { email_id: toNativeIds(email_id, 'em') }),
  });
}

/** Clients of Resend expect a number everywhere, so an undefined rate is 0. */
function valuesOf(metrics: ResendMetric[], values: MetricValues): ResendValues {
  const counts: Partial<Record<string, unknown>> = values;
  return Object.fromEntries(metrics.map((name) => [name, Number(counts[name] ?? 0)]));
}

/** Emails of a removed domain have no `domain_name`. */
function placeOf({ period, domainId, emailId }: MetricsRow, names: Map<string, string>): ResendPlace {
  const name = names.get(domainId ?? '');
  return {
    ...(period === undefined ? {} : { period: period.toISOString() }),
    ...(domainId === undefined || domainId === null ? {} : { domain_id: toResendId(domainId) }),
    ...(name === undefined ? {} : { domain_name: name }),
    ...(emailId === undefined ? {} : { email_id: toResendId(emailId) }),
  };
}
