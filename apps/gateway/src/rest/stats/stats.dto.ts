import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { type Percentile, statsWords } from '#libs/stats';
import {
  EnumProperty,
  exampleId,
  FlagProperty,
  IdProperty,
  KindProperty,
  listPattern,
  NullableTextProperty,
  TextProperty,
  TextsProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { FieldRule } from '../validation/field-rule.decorator.js';
import { QueryEnum } from '../validation/query-fields.js';
import type { MetricsParameters } from './stats-query.js';
import { dateOrTimestampRule } from '../validation/query-rules.js';
import { groupsRule, isShare, listOfIdsRule, listOfValuesRule, timezoneRule } from './stats-rules.js';

/** A date, or a timestamp with an offset. */
const DATE_PATTERN =
  '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])' +
  '(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,9})?)?(?:Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9]))?$';

const GROUP = `(?:${statsWords.groups.join('|')}|(?:tags[.]|tag:)[A-Za-z0-9_.-]{1,50})`;
const GROUPS_PATTERN = `^${GROUP}(?:,${GROUP})*$`;

const COMPARISONS = ['previous'] as const;

/** The parameters of statistics of one domain. */
export class MetricsParametersDto implements MetricsParameters {
  @FieldRule(dateOrTimestampRule, {
    pattern: DATE_PATTERN,
    type: String,
    description:
      'Start: a date (its beginning in `timezone`) or a timestamp with an offset. If absent, the beginning of the day six days before the end, which makes seven days',
    example: '2026-03-01',
  })
  start_date?: string;

  @FieldRule(dateOrTimestampRule, {
    pattern: DATE_PATTERN,
    type: String,
    description:
      'End: a date (inclusive) or a timestamp with an offset (exclusive). Limited to the current time, which is the default',
    example: '2026-03-07',
  })
  end_date?: string;

  @FieldRule(dateOrTimestampRule, {
    pattern: DATE_PATTERN,
    type: String,
    description: 'The same as `start_date`',
    example: '2026-03-01',
  })
  from?: string;

  @FieldRule(dateOrTimestampRule, {
    pattern: DATE_PATTERN,
    type: String,
    description: 'The same as `end_date`',
    example: '2026-03-07',
  })
  to?: string;

  @FieldRule(timezoneRule, {
    type: String,
    format: 'time-zone',
    description: 'Time zone in which days, weeks and months begin',
    default: 'UTC',
    example: 'Europe/Berlin',
  })
  timezone?: string;

  @QueryEnum(statsWords.granularities, {
    default: 'day',
    description: 'Length of a period; without `dimensions` it implies `dimensions=period`. Weeks begin on Monday',
  })
  granularity?: string;

  @FieldRule(listOfValuesRule(statsWords.metrics), {
    pattern: listPattern(statsWords.metrics),
    type: String,
    description: `Metrics separated by commas: ${statsWords.metrics.join(', ')}. All if absent`,
    example: 'sent,delivered,bounce_rate',
  })
  metrics?: string;

  @FieldRule(listOfValuesRule(statsWords.dimensions), {
    pattern: listPattern(statsWords.dimensions),
    type: String,
    description: `Dimensions to group by, separated by commas: ${statsWords.dimensions.join(', ')}. Only totals if absent`,
    example: 'period,domain',
  })
  dimensions?: string;

  @FieldRule(groupsRule(statsWords.groups), {
    pattern: GROUPS_PATTERN,
    type: String,
    description:
      `Further groups, separated by commas: ${statsWords.groups.join(', ')}, tags.<key> (or tag:<key>). provider: the mailbox ` +
      'provider, or the domain; ip and host: address and MX name of the server that answered; bounce_class: the reason of ' +
      'the bounce; api_key: the key that submitted the email',
    example: 'tags.campaign',
  })
  group_by?: string;

  @FieldRule(listOfValuesRule(statsWords.percentiles), {
    pattern: listPattern(statsWords.percentiles),
    type: String,
    description: `Percentiles of the delivery time, separated by commas: ${statsWords.percentiles.join(', ')}`,
    example: 'p50,p95,p99',
  })
  percentiles?: string;

  @QueryEnum(COMPARISONS, { description: 'Adds the same figures for the range of the same length directly before' })
  compare?: string;

  @FieldRule(listOfIdsRule('em'), {
    pattern: '^em_[0-9a-f]{32}(?:,em_[0-9a-f]{32}){0,99}$',
    type: String,
    description: 'Only these emails: at most 100 ids separated by commas',
    example: exampleId('em'),
  })
  email_id?: string;
}

export class StatsQuery extends MetricsParametersDto {
  @FieldRule(listOfIdsRule('dom'), {
    pattern: '^dom_[0-9a-f]{32}(?:,dom_[0-9a-f]{32}){0,99}$',
    type: String,
    description: 'Only these domains: at most 100 ids separated by commas',
    example: exampleId('dom'),
  })
  domain_id?: string;
}

const latency = (share: string) =>
  ApiProperty({
    type: 'integer',
    minimum: 0,
    nullable: true,
    required: false,
    example: 1200,
    description: `${share} of the emails were delivered within this time`,
  });

/** Milliseconds. */
export class LatencyDto implements Partial<Record<Percentile, number | null>> {
  @latency('50%')
  p50?: number | null;

  @latency('95%')
  p95?: number | null;

  @latency('99%')
  p99?: number | null;
}

const COUNT = {
  type: 'integer',
  minimum: 0,
  required: false,
  description: 'Number of recipients',
  example: 42,
} as const;
const RATE = {
  type: 'number',
  minimum: 0,
  nullable: true,
  required: false,
  example: 0.985,
} as const;

/** The values of the requested metrics, one property each. */
export class StatsValuesDto {
  @ApiProperty({
    type: LatencyDto,
    required: false,
    description: 'With `percentiles`: milliseconds from the due time to delivery; null if nothing was delivered',
  })
  latency_ms?: LatencyDto;
}
/** Metrics that count events, or recipients in another way than the rest. */
const OTHER_COUNTS: Record<string, string> = {
  opened: 'Number of opens, those of bots included',
  clicked: 'Number of clicks, those of bots included',
  unique_opened: 'Number of recipients with an open by a person',
  unique_clicked: 'Number of recipients with a click by a person',
  settled:
    'Number of recipients whose delivery has ended: delivered, bounced or failed; without those of the simulator',
  simulated: 'Number of recipients of the simulator whose delivery has ended, which `settled` leaves out',
};
/** Rates with one definition and one denominator, which the dashboard shows. */
const RATES_OF_SETTLED: Record<string, string> = {
  delivered_of_settled: 'The delivery rate: the share of `settled` that was delivered',
  bounced_of_settled: 'The bounce rate: the share of `settled` that bounced',
  complained_of_settled: 'The complaint rate: complaints per recipient of `settled`',
  opened_of_settled: 'The open rate: the share of `settled` with an open by a person',
  clicked_of_settled: 'The click rate: the share of `settled` with a click by a person',
};
for (const name of statsWords.metrics) {
  const count = { ...COUNT, description: OTHER_COUNTS[name] ?? COUNT.description };
  const share = {
    ...RATE,
    description: `${RATES_OF_SETTLED[name] ?? 'A rate'}, from 0 to 1; null if its denominator is 0`,
  };
  ApiProperty(isShare(name) ? share : count)(StatsValuesDto.prototype, name);
}

const OPTIONAL = { required: false } as const;

class StatsGroupDto {
  @ApiProperty({ ...OPTIONAL, format: 'date-time', description: 'Start of the period' })
  period?: string;

  @NullableTextProperty('The sending domain', exampleId('dom'), OPTIONAL)
  domain_id?: string | null;

  @IdProperty('em', 'The email', OPTIONAL)
  email_id?: string;

  @NullableTextProperty('The mailbox provider, or the recipient domain', 'google', OPTIONAL)
  provider?: string | null;

  @NullableTextProperty('IP address of the server that answered; null: events without one', '192.0.2.25', OPTIONAL)
  ip?: string | null;

  @NullableTextProperty('MX name of that server', 'mx1.example.net', OPTIONAL)
  host?: string | null;

  @NullableTextProperty('The API key that submitted the email; null: unknown', exampleId('key'), OPTIONAL)
  api_key_id?: string | null;

  @NullableTextProperty('The reason of the bounce; null: events other than bounces', 'invalid_recipient', OPTIONAL)
  bounce_class?: string | null;

  @ApiProperty({
    selfRequired: false,
    type: 'object',
    additionalProperties: { type: 'string', nullable: true },
    description: 'The value of each tag of `group_by`; null: emails without that tag',
    example: { campaign: 'spring' },
  })
  tags?: Record<string, string | null>;
}

/** The group of a row, and its values. */
export class StatsRowDto extends IntersectionType(StatsGroupDto, StatsValuesDto) {}

/** Figures of a range. */
export class StatsRangeDto {
  @TimeProperty('Start of the range', '2026-02-22T00:00:00.000Z')
  start_date: string;

  @TimeProperty('End of the range, exclusive', '2026-03-01T00:00:00.000Z')
  end_date: string;

  @ApiProperty({ description: 'The values of the whole range' })
  totals: StatsValuesDto;

  @ApiProperty({ type: [StatsRowDto], required: false, description: 'As `data` of the response' })
  data?: StatsRowDto[];
}

export class StatsDto {
  @KindProperty('metrics')
  object: 'metrics';

  @TimeProperty(
    'Start of the range. Once single events have expired, it is moved to the quarter of an hour, or minute, that contains it',
    '2026-03-01T00:00:00.000Z',
  )
  start_date: string;

  @TimeProperty('End of the range, exclusive', '2026-03-08T00:00:00.000Z')
  end_date: string;

  @TextProperty('Time zone of the periods', 'UTC')
  timezone: string;

  @EnumProperty(statsWords.granularities, 'Length of a period')
  granularity: string;

  @ApiProperty({ enum: [...statsWords.metrics], isArray: true, description: 'The metrics of each row' })
  metrics: string[];

  @ApiProperty({
    enum: [...statsWords.dimensions],
    isArray: true,
    description: 'The dimensions that rows are grouped by',
  })
  dimensions: string[];

  @TextsProperty('The other groups that rows are grouped by', ['tags.campaign'])
  group_by: string[];

  @ApiProperty({ description: 'The values of the whole range' })
  totals: StatsValuesDto;

  @ApiProperty({
    type: [StatsRowDto],
    required: false,
    description:
      'One row per group, in order; only with `dimensions` or `group_by`. If grouped by period alone, there is a row for ' +
      'every period, including empty ones; otherwise only for groups with events',
  })
  data?: StatsRowDto[];

  @TextsProperty(
    'The metrics whose values are approximate: unique counts have a standard error of 0.3% (exact for small numbers), and rates and percentiles of them accordingly; all others are exact',
    ['unique_opened'],
  )
  approximate: string[];

  @FlagProperty(
    'Values of `group_by` beyond the first 500 per day are counted together as `(other)`, because their single events have expired',
    false,
  )
  truncated: boolean;

  @ApiProperty({
    type: StatsRangeDto,
    required: false,
    description: 'With `compare=previous`: the range directly before',
  })
  previous?: StatsRangeDto;
}
