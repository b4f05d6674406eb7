import type { IdPrefix } from '#libs/contracts';
import type { Rule } from '#libs/contracts';
import { type Metric, statsWords } from '#libs/stats';
import { dateOrTimestampRule, oneOfRule } from '../rest/validation/query-rules.js';
import { FieldRule } from '../rest/validation/field-rule.decorator.js';
import { listOfIdsRule, itemsOf, timezoneRule, listOfValuesRule } from '../rest/stats/stats-rules.js';
import { fromResendId } from './resend-id.js';

/** The granularities of Resend and the native ones. */
export const RESEND_GRANULARITIES = { hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month' } as const;
export type ResendGranularity = keyof typeof RESEND_GRANULARITIES;

type NativeOnly = 'accepted' | 'canceled' | 'settled' | 'simulated' | `${string}_of_settled`;
/** The native metrics that Resend has too, and `received`, which is always 0 because accounts cannot receive emails here. */
export type ResendMetric = Exclude<Metric, NativeOnly> | 'received';
const isResendMetric = (name: Metric): name is Exclude<Metric, NativeOnly> =>
  !['accepted', 'canceled', 'settled', 'simulated'].includes(name) && !name.endsWith('_of_settled');
export const RESEND_METRICS: readonly ResendMetric[] = ['received', ...statsWords.metrics.filter(isResendMetric)];

/** Without `broadcast`, because broadcasts are not supported. */
export const RESEND_DIMENSIONS = ['period', 'domain', 'email'] as const;
export type ResendDimension = (typeof RESEND_DIMENSIONS)[number];

/** Converts a comma-separated list of UUIDs or native ids to native ids. */
export const toNativeIds = (list: string, prefix: IdPrefix): string =>
  itemsOf(list)
    .map((id) => fromResendId(prefix, id))
    .join(',');

const resendIdsRule =
  (prefix: IdPrefix): Rule =>
  (value) =>
    listOfIdsRule(prefix)(typeof value === 'string' ? toNativeIds(value, prefix) : value);

const broadcastRule: Rule = () => [
  { path: '', code: 'not_supported', message: 'is not supported: there are no broadcasts here' },
];

/** Parameters of `GET /resend/emails/metrics`. */
export class ResendMetricsQuery {
  @FieldRule(dateOrTimestampRule)
  start_date?: string;

  @FieldRule(dateOrTimestampRule)
  end_date?: string;

  @FieldRule(timezoneRule)
  timezone?: string;

  @FieldRule(oneOfRule(Object.keys(RESEND_GRANULARITIES)))
  granularity?: ResendGranularity;

  @FieldRule(listOfValuesRule(RESEND_METRICS))
  metrics?: string;

  @FieldRule(listOfValuesRule(RESEND_DIMENSIONS))
  dimensions?: string;

  @FieldRule(resendIdsRule('dom'))
  domain_id?: string;

  @FieldRule(resendIdsRule('em'))
  email_id?: string;

  /** Refused, because ignoring the filter would count more than was asked for. */
  @FieldRule(broadcastRule)
  broadcast_id?: never;
}
