import type { Principal } from '#libs/accounts';
import type { MetricsResult, MetricsRow, StatsStore } from '#libs/stats';
import type { StatsDto, StatsRowDto } from './stats.dto.js';
import { previousRange, toMetricsQuery, type MetricsParameters } from './stats-query.js';
import { itemsOf } from './stats-rules.js';

/** The answer of `GET /stats` and, limited to a domain, of `GET /domains/:id/stats`. */
export async function metricsResponse(
  stats: StatsStore,
  caller: Principal,
  given: MetricsParameters & { compare?: string },
): Promise<StatsDto> {
  const request = toMetricsQuery(caller, withImpliedPeriod(given));
  const result = await stats.metrics(request);
  const previous = given.compare === undefined ? null : await stats.metrics({ ...request, ...previousRange(result) });
  return {
    object: 'metrics',
    start_date: result.from.toISOString(),
    end_date: result.to.toISOString(),
    timezone: request.timezone,
    granularity: request.granularity,
    metrics: [...request.metrics],
    dimensions: [...request.dimensions],
    group_by: given.group_by === undefined ? [] : itemsOf(given.group_by),
    ...figures(result),
    approximate: result.approximate,
    truncated: result.truncated || (previous?.truncated ?? false),
    ...(previous === null ? {} : { previous: previousResponse(previous) }),
  };
}

/** A granularity means nothing without periods. */
const withImpliedPeriod = (given: MetricsParameters): MetricsParameters =>
  given.granularity !== undefined && given.dimensions === undefined ? { ...given, dimensions: 'period' } : given;

const figures = ({ totals, rows }: MetricsResult) => ({
  totals,
  ...(rows === null ? {} : { data: rows.map(toRowResponse) }),
});

const previousResponse = (result: MetricsResult) => ({
  start_date: result.from.toISOString(),
  end_date: result.to.toISOString(),
  ...figures(result),
});

function toRowResponse({ values, ...place }: MetricsRow): StatsRowDto {
  const { period, domainId, emailId, provider, ip, host, apiKeyId, bounceClass, tags } = place;
  return {
    ...(period === undefined ? {} : { period: period.toISOString() }),
    ...(domainId === undefined ? {} : { domain_id: domainId }),
    ...(emailId === undefined ? {} : { email_id: emailId }),
    ...(provider === undefined ? {} : { provider }),
    ...(ip === undefined ? {} : { ip }),
    ...(host === undefined ? {} : { host }),
    ...(bounceClass === undefined ? {} : { bounce_class: bounceClass }),
    ...(apiKeyId === undefined ? {} : { api_key_id: apiKeyId }),
    ...(tags === undefined ? {} : { tags }),
    ...values,
  };
}
