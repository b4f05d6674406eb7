import { seesDomain, visibleDomains } from '#libs/contracts';
import {
  COUNTED,
  PERCENTILES,
  RATES,
  UNIQUE,
  type CountedMetric,
  type Group,
  type UniqueMetric,
} from './metrics-query.js';
import type { MetricsQuery, RateMetric } from './metrics-query.js';
import { splitWindow } from './time-window.js';

/** A statement for the engine. All values from outside are parameters. */
export interface MetricsStatement {
  query: string;
  params: Record<string, string | number | readonly string[]>;
}

/** Queries with more rows are refused. */
export const MAX_ROWS = 5_000;

/**
 * The columns `d0`, `d1`, … are the dimensions, then the groups; the row with `is_total` 1 is the total. Both come from one
 * read, so that they are consistent. `starts`: the starts of the periods.
 */
export function metricsStatement(of: MetricsQuery, starts: readonly number[]): MetricsStatement {
  const keys = [...of.dimensions.map((name) => dimensionKey(name, starts)), ...of.groupBy.map(groupKey)];
  const names = keys.map((_, i) => `d${i}`);
  const params = { ...windowParams(of), ...tagParams(of.groupBy), account: of.visibility.accountId };
  const values = [...valueColumns(of)];
  const columns = [...keys.map((key, i) => `${key} AS d${i}`), ...values].join(',\n  ');
  const source = readsEvents(of) ? eventRows(of) : countRows(of);
  if (keys.length === 0) return { query: `SELECT 1 AS is_total, ${columns} FROM (${source})`, params };
  return {
    query: `SELECT grouping(d0) AS is_total, ${columns} FROM (${source})
      GROUP BY GROUPING SETS ((${names.join(', ')}), ())
      ORDER BY is_total DESC, ${names.join(', ')} LIMIT ${MAX_ROWS + 2}`,
    params,
  };
}

/** The roll-up has account, domain, minute and counter; everything else is only in the events. */
function readsEvents({ metrics, dimensions, groupBy, percentiles, emailIds }: MetricsQuery): boolean {
  const unique = requiredCounts(metrics).some((name) => name in UNIQUE);
  return unique || percentiles.length > 0 || emailIds !== null || groupBy.length > 0 || dimensions.includes('email');
}

/** The counts from which all metrics are computed. */
export function requiredCounts(metrics: MetricsQuery['metrics']): (CountedMetric | UniqueMetric)[] {
  const needed = metrics.flatMap((name) => (name in RATES ? RATES[name as RateMetric] : [name as CountedMetric]));
  return [...new Set(needed)];
}

function* valueColumns({ metrics, percentiles }: MetricsQuery): Generator<string> {
  for (const name of requiredCounts(metrics))
    if (name in UNIQUE)
      yield `uniqCombined64If((email_id, recipient), counter = '${UNIQUE[name as UniqueMetric]}' AND is_bot = 0) AS ${name}`;
    else yield `sumIf(recipients, ${conditionOf(name as CountedMetric)}) AS ${name}`;
  for (const name of percentiles)
    yield `quantileTDigestIf(${PERCENTILES[name]})(latency_ms, counter = 'delivered') AS ${name}`;
}

function conditionOf(name: CountedMetric): string {
  const { counter, bounceType }: { counter: string; bounceType?: string } = COUNTED[name];
  return `counter = '${counter}'${bounceType === undefined ? '' : ` AND bounce_type = '${bounceType}'`}`;
}

function dimensionKey(name: MetricsQuery['dimensions'][number], starts: readonly number[]): string {
  switch (name) {
    case 'period':
      return `roundDown(toUnixTimestamp(moment), [${starts.map((ms) => ms / 1_000).join(', ')}])`;
    case 'domain':
      return `nullIf(domain_id, '')`;
    case 'email':
      return 'email_id';
  }
}

function groupKey(group: Group, i: number): string {
  switch (group) {
    case 'provider':
    case 'ip':
    case 'bounce_class':
      return `nullIf(toString(${group}), '')`;
    default:
      return `if(mapContains(tags, {tag_${i}:String}), tags[{tag_${i}:String}], NULL)`;
  }
}

const tagParams = (groups: readonly Group[]) =>
  Object.fromEntries(
    groups.flatMap((group, i) => (group.startsWith('tag:') ? [[`tag_${i}`, group.slice('tag:'.length)]] : [])),
  );

/** The domains of the filter that the key sees; without a filter, those that it sees; null for all. */
const domainsOf = ({ domainIds, visibility }: MetricsQuery): string[] | null =>
  domainIds === null ? visibleDomains(visibility) : domainIds.filter((id) => seesDomain(visibility, id));

function windowParams(of: MetricsQuery): MetricsStatement['params'] {
  const { from, to, emailIds } = of;
  const domainIds = domainsOf(of);
  const { minutes, head, tail } = splitWindow(from, to);
  return {
    from: from.getTime(),
    to: to.getTime(),
    first_minute: minutes[0] / 1_000,
    last_minute: minutes[1] / 1_000,
    head_from: head[0],
    head_to: head[1],
    tail_from: tail[0],
    tail_to: tail[1],
    ...(domainIds === null ? {} : { domains: domainIds }),
    ...(emailIds === null ? {} : { emails: emailIds }),
  };
}

const instant = (parameter: string) => `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`;
const within = (from: string, to: string) => `(at >= ${instant(from)} AND at < ${instant(to)})`;

function filterOf(of: MetricsQuery): string {
  return [
    'account_id = {account:String}',
    ...(domainsOf(of) === null ? [] : ['domain_id IN {domains:Array(String)}']),
    ...(of.emailIds === null ? [] : ['email_id IN {emails:Array(String)}']),
  ].join(' AND ');
}

function eventRows(of: MetricsQuery): string {
  const columns =
    'domain_id, counter, bounce_type, email_id, recipient, provider, tags, ip, bounce_class, is_bot, latency_ms';
  return `SELECT ${columns}, toStartOfMinute(at) AS moment, 1 AS recipients FROM message_events
           WHERE ${filterOf(of)} AND counter != '' AND ${within('from', 'to')}`;
}

function countRows(of: MetricsQuery): string {
  const columns = 'domain_id, counter, bounce_type';
  return `SELECT ${columns}, minute AS moment, recipients FROM message_counts
           WHERE ${filterOf(of)} AND minute >= toDateTime({first_minute:UInt32}, 'UTC') AND minute < toDateTime({last_minute:UInt32}, 'UTC')
          UNION ALL
          SELECT ${columns}, toStartOfMinute(at) AS moment, count() AS recipients FROM message_events
           WHERE ${filterOf(of)} AND counter != '' AND (${within('head_from', 'head_to')} OR ${within('tail_from', 'tail_to')})
           GROUP BY ${columns}, moment`;
}
