import { Refusal } from '#libs/contracts';
import { databaseClock } from '#libs/kernel';
import type { Metric, MetricValues, StatsStore } from '#libs/stats';

const DAY_MS = 86_400_000;
/** What the pages of the operator show, each by the definition of docs/statistics.md. */
const METRICS = [
  'accepted',
  'delivered',
  'settled',
  'simulated',
  'delivered_of_settled',
  'bounced_of_settled',
  'complained_of_settled',
  'opened_of_settled',
  'clicked_of_settled',
] as const satisfies Metric[];

/** By account; null while the statistics cannot be read. An account without mail is absent. */
export type AccountFigures = Record<'lastDay' | 'thisMonth', Map<string, MetricValues>> | null;

/** The statistics of some accounts, in two queries for all of them. */
export async function accountFigures(stats: StatsStore, accountIds: readonly string[]): Promise<AccountFigures> {
  if (accountIds.length === 0) return null;
  const to = databaseClock.date();
  const monthStart = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth(), 1));
  const from = new Date(to.getTime() - DAY_MS);
  try {
    const [lastDay, thisMonth] = await Promise.all([
      stats.metricsByAccount({ accountIds, from, to, metrics: METRICS }),
      stats.metricsByAccount({ accountIds, from: monthStart, to, metrics: ['accepted'] }),
    ]);
    return { lastDay, thisMonth };
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** The fields of one account. */
export function figuresOf(
  figures: AccountFigures,
  accountId: string,
): { stats: MetricValues | null; acceptedThisMonth: number | null } {
  if (figures === null) return { stats: null, acceptedThisMonth: null };
  const values = figures.lastDay.get(accountId);
  return {
    stats: Object.fromEntries(METRICS.map((name) => [name, values?.[name] ?? (isCount(name) ? 0 : null)])),
    acceptedThisMonth: figures.thisMonth.get(accountId)?.accepted ?? 0,
  };
}

const isCount = (name: Metric): boolean => !name.endsWith('_of_settled');
