import { ApiProperty } from '@nestjs/swagger';
import type { Type } from '@nestjs/common';
import { STATS_COUNTERS, type StatsCounter } from '#libs/contracts';
import { ByRule } from './by-rule.js';
import { timestampRule } from './query-rules.js';

/** `from` and `to` of a statistics question: half-open, the last 24 hours by default. */
export class StatsWindowQuery {
  @ByRule(timestampRule, {
    doc: {
      type: String,
      format: 'date-time',
      description: 'Begin; 24 hours before `to` if absent',
      example: '2026-01-30T09:30:00Z',
    },
  })
  from?: string;

  @ByRule(timestampRule, {
    doc: {
      type: String,
      format: 'date-time',
      description: 'End, exclusive; now if absent',
      example: '2026-01-31T09:30:00Z',
    },
  })
  to?: string;
}

class DomainStatsHead {
  @ApiProperty({ enum: ['domain_stats'] })
  object: 'domain_stats';

  @ApiProperty({ description: 'The domain that is counted', example: 'dom_01978c0e5f7b7c3a9d21f0b64c1e88aa' })
  domain_id: string;

  @ApiProperty({ format: 'date-time', description: 'Begin of the window', example: '2026-01-30T09:30:00.000Z' })
  from: string;

  @ApiProperty({
    format: 'date-time',
    description: 'End of the window, exclusive',
    example: '2026-01-31T09:30:00.000Z',
  })
  to: string;
}

/** Counts of recipients in [from, to) (details §4). */
export class DomainStatsDto extends (DomainStatsHead as Type<DomainStatsHead & Record<StatsCounter, number>>) {}

for (const counter of STATS_COUNTERS)
  ApiProperty({ type: 'integer', minimum: 0, description: `Recipients: ${counter}`, example: 0 })(
    DomainStatsDto.prototype,
    counter,
  );
