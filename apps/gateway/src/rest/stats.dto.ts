import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { DIMENSIONS, GRANULARITIES, GROUPS, METRICS, PERCENTILES, type Percentile } from '#libs/stats';
import { ByRule } from './by-rule.js';
import { wordRule } from './query-rules.js';
import type { MetricsParameters } from './stats-query.js';
import { dateOrTimestampRule, groupsRule, idsRule, timezoneRule, wordsRule } from './stats-rules.js';

const PERCENTILE_NAMES = Object.keys(PERCENTILES) as Percentile[];

export class StatsQuery implements MetricsParameters {
  @ByRule(dateOrTimestampRule, {
    doc: {
      type: String,
      description:
        'Begin: a date (its first moment in `timezone`) or a timestamp with an offset. Six days before the end if absent',
      example: '2026-03-01',
    },
  })
  start_date?: string;

  @ByRule(dateOrTimestampRule, {
    doc: {
      type: String,
      description:
        'End: a date (that day included) or a timestamp with an offset (exclusive). Now at most, and if absent',
      example: '2026-03-07',
    },
  })
  end_date?: string;

  @ByRule(timezoneRule, {
    doc: {
      type: String,
      description: 'Time zone in which days, weeks and months begin',
      default: 'UTC',
      example: 'Europe/Berlin',
    },
  })
  timezone?: string;

  @ByRule(wordRule(GRANULARITIES), {
    doc: { enum: [...GRANULARITIES], default: 'day', description: 'Length of a period. Weeks begin on Monday' },
  })
  granularity?: string;

  @ByRule(wordsRule(METRICS), {
    doc: {
      type: String,
      description: `Comma-separated, of: ${METRICS.join(', ')}. All of them if absent`,
      example: 'sent,delivered,bounce_rate',
    },
  })
  metrics?: string;

  @ByRule(wordsRule(DIMENSIONS), {
    doc: {
      type: String,
      description: `What to break down by, comma-separated, of: ${DIMENSIONS.join(', ')}. Only totals if absent`,
      example: 'period,domain',
    },
  })
  dimensions?: string;

  @ByRule(groupsRule(GROUPS), {
    doc: {
      type: String,
      description:
        `Further ways to break down, comma-separated: ${GROUPS.join(', ')}, tag:<key>. ` +
        'provider: whose mailbox, or its domain; ip: the server that answered; bounce_class: why it bounced',
      example: 'tag:campaign',
    },
  })
  group_by?: string;

  @ByRule(wordsRule(PERCENTILE_NAMES), {
    doc: {
      type: String,
      description: `Percentiles of the time from due to delivered, comma-separated, of: ${PERCENTILE_NAMES.join(', ')}`,
      example: 'p50,p95,p99',
    },
  })
  percentiles?: string;

  @ByRule(idsRule('dom'), {
    doc: {
      type: String,
      description: 'Only these domains: ids, comma-separated, at most 100',
      example: 'dom_01978c0e5f7b7c3a9d21f0b64c1e88aa',
    },
  })
  domain_id?: string;

  @ByRule(idsRule('em'), {
    doc: {
      type: String,
      description: 'Only these e-mails: ids, comma-separated, at most 100',
      example: 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa',
    },
  })
  email_id?: string;
}

const LATENCY_DOC = { type: 'integer', minimum: 0, nullable: true, required: false, example: 1200 } as const;

/** Milliseconds. */
class LatencyDto implements Partial<Record<Percentile, number | null>> {
  @ApiProperty({ ...LATENCY_DOC, description: 'Half of the mail took no longer' })
  p50?: number | null;

  @ApiProperty({ ...LATENCY_DOC, description: '95 of 100 took no longer' })
  p95?: number | null;

  @ApiProperty({ ...LATENCY_DOC, description: '99 of 100 took no longer' })
  p99?: number | null;
}

const COUNT_DOC = { type: 'integer', minimum: 0, required: false, description: 'Recipients', example: 42 } as const;
const SHARE_DOC = {
  type: 'number',
  minimum: 0,
  nullable: true,
  required: false,
  description: 'A share; null where there is nothing to take it of',
  example: 0.985,
} as const;

/** Values of the metrics that were asked for: a property for each. */
export class StatsValuesDto {
  @ApiProperty({
    type: LatencyDto,
    required: false,
    description: 'With `percentiles`: milliseconds from due to delivered; null where nothing was delivered',
  })
  latency_ms?: LatencyDto;
}
for (const name of METRICS) ApiProperty(name.endsWith('_rate') ? SHARE_DOC : COUNT_DOC)(StatsValuesDto.prototype, name);

class StatsPlaceDto {
  @ApiProperty({ required: false, format: 'date-time', description: 'Begin of the period' })
  period?: string;

  @ApiProperty({
    type: String,
    required: false,
    nullable: true,
    description: 'The sending domain',
    example: 'dom_01978c0e5f7b7c3a9d21f0b64c1e88aa',
  })
  domain_id?: string | null;

  @ApiProperty({ required: false, description: 'The e-mail', example: 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa' })
  email_id?: string;

  @ApiProperty({
    type: String,
    required: false,
    nullable: true,
    description: 'Whose mailbox, or its domain',
    example: 'google',
  })
  provider?: string | null;

  @ApiProperty({
    type: String,
    required: false,
    nullable: true,
    description: 'Of the server that answered; null: events without one',
    example: '192.0.2.25',
  })
  ip?: string | null;

  @ApiProperty({
    type: String,
    required: false,
    nullable: true,
    description: 'Why it bounced; null: events that are no bounces',
    example: 'invalid_recipient',
  })
  bounce_class?: string | null;

  @ApiProperty({
    selfRequired: false,
    type: 'object',
    additionalProperties: { type: 'string', nullable: true },
    description: 'The value of each tag of `group_by`; null: mail without that tag',
    example: { campaign: 'spring' },
  })
  tags?: Record<string, string | null>;
}

/** The place of a row, then its values. */
export class StatsRowDto extends IntersectionType(StatsPlaceDto, StatsValuesDto) {}

export class StatsDto {
  @ApiProperty({ enum: ['metrics'], description: 'Always `metrics`' })
  object: 'metrics';

  @ApiProperty({ format: 'date-time', description: 'Begin of the time', example: '2026-03-01T00:00:00.000Z' })
  start_date: string;

  @ApiProperty({ format: 'date-time', description: 'End of the time, exclusive', example: '2026-03-08T00:00:00.000Z' })
  end_date: string;

  @ApiProperty({ description: 'Time zone of the periods', example: 'UTC' })
  timezone: string;

  @ApiProperty({ enum: [...GRANULARITIES], description: 'Length of a period' })
  granularity: string;

  @ApiProperty({ enum: [...METRICS], isArray: true, description: 'The values that each row has' })
  metrics: string[];

  @ApiProperty({ enum: [...DIMENSIONS], isArray: true, description: 'What it is broken down by' })
  dimensions: string[];

  @ApiProperty({ type: [String], description: 'What else it is broken down by', example: ['tag:campaign'] })
  group_by: string[];

  @ApiProperty({ description: 'Over the whole time' })
  totals: StatsValuesDto;

  @ApiProperty({
    type: [StatsRowDto],
    required: false,
    description:
      'One row per place, in order; only with `dimensions` or `group_by`. Periods alone have a row each, also empty ones; ' +
      'otherwise there are rows only where something happened',
  })
  data?: StatsRowDto[];

  @ApiProperty({
    type: [String],
    description: 'Which of the values are approximate (within about 1 %); all others are exact',
    example: ['unique_opened'],
  })
  approximate: string[];
}
