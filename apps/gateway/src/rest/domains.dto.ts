import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import type { Type } from '@nestjs/common';
import { STATS_COUNTERS, type StatsCounter } from '#libs/contracts';
import { ByRule } from './by-rule.js';
import { timestampRule } from './query-rules.js';

/** `from` and `to` of a statistics question: half-open, the last 24 hours by default. */
export class StatsWindowQuery {
  @ByRule(timestampRule, {
    doc: { type: String, format: 'date-time', description: 'Begin; 24 hours before `to` if absent' },
  })
  from?: string;

  @ByRule(timestampRule, { doc: { type: String, format: 'date-time', description: 'End, exclusive; now if absent' } })
  to?: string;
}

/** A class with one integer property per counter. */
function counters(): Type<Record<StatsCounter, number>> {
  class Counters {}
  for (const counter of STATS_COUNTERS) ApiProperty({ type: 'integer', minimum: 0 })(Counters.prototype, counter);
  return Counters as Type<Record<StatsCounter, number>>;
}

class DomainStatsHead {
  @ApiProperty({ enum: ['domain_stats'] })
  object: 'domain_stats';

  @ApiProperty({ example: 'dom_01978c0e5f7b7c3a9d21f0b64c1e88aa' })
  domain_id: string;

  @ApiProperty({ format: 'date-time' })
  from: string;

  @ApiProperty({ format: 'date-time' })
  to: string;
}

/** Counts of recipients in [from, to) (details §4). */
export class DomainStatsDto extends IntersectionType(DomainStatsHead, counters()) {}
