import type { IdPrefix } from '#libs/contracts';
import type { Rule } from '#libs/emails';
import { METRICS, type Metric } from '#libs/stats';
import { ByRule } from '../by-rule.js';
import { wordRule } from '../query-rules.js';
import { dateOrTimestampRule, idsRule, itemsOf, timezoneRule, wordsRule } from '../stats-rules.js';
import { fromResendId } from './resend-id.js';

/** Their words for the length of a period, and ours. */
export const RESEND_GRANULARITIES = { hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month' } as const;
export type ResendGranularity = keyof typeof RESEND_GRANULARITIES;

/** Of metrics their clients know all of ours but two, and `received`, which is 0: accounts have no inbox here. */
export type ResendMetric = Exclude<Metric, 'accepted' | 'canceled'> | 'received';
const isTheirs = (name: Metric): name is Exclude<Metric, 'accepted' | 'canceled'> =>
  name !== 'accepted' && name !== 'canceled';
export const RESEND_METRICS: readonly ResendMetric[] = ['received', ...METRICS.filter(isTheirs)];

/** There are no broadcasts to break down by. */
export const RESEND_DIMENSIONS = ['period', 'domain', 'email'] as const;
export type ResendDimension = (typeof RESEND_DIMENSIONS)[number];

/** A comma list of UUIDs or ids of ours as one of ours. */
export const ourIds = (list: string, prefix: IdPrefix): string =>
  itemsOf(list)
    .map((id) => fromResendId(prefix, id))
    .join(',');

const resendIdsRule =
  (prefix: IdPrefix): Rule =>
  (value) =>
    idsRule(prefix)(typeof value === 'string' ? ourIds(value, prefix) : value);

const noBroadcasts: Rule = () => [
  { path: '', code: 'not_supported', message: 'is not supported: there are no broadcasts here' },
];

/** Parameters of `GET /resend/emails/metrics`. */
export class ResendMetricsQuery {
  @ByRule(dateOrTimestampRule)
  start_date?: string;

  @ByRule(dateOrTimestampRule)
  end_date?: string;

  @ByRule(timezoneRule)
  timezone?: string;

  @ByRule(wordRule(Object.keys(RESEND_GRANULARITIES)))
  granularity?: ResendGranularity;

  @ByRule(wordsRule(RESEND_METRICS))
  metrics?: string;

  @ByRule(wordsRule(RESEND_DIMENSIONS))
  dimensions?: string;

  @ByRule(resendIdsRule('dom'))
  domain_id?: string;

  @ByRule(resendIdsRule('em'))
  email_id?: string;

  /** Leaving it out in silence would count more than was asked for. */
  @ByRule(noBroadcasts)
  broadcast_id?: never;
}
