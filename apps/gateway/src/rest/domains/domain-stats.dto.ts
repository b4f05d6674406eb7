import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { STATS_COUNTERS, type StatsCounter } from '#libs/contracts';
import { IdProperty, KindProperty, TimeProperty } from '../../openapi/properties.js';

class DomainStatsHead {
  @KindProperty('domain_stats')
  object: 'domain_stats';

  @IdProperty('dom', 'The domain')
  domain_id: string;

  @TimeProperty('Start of the window', '2026-01-30T09:30:00.000Z')
  from: string;

  @TimeProperty('End of the window, exclusive')
  to: string;
}

/** Counts of recipients in [from, to), one property per counter. */
export class DomainStatsDto extends (DomainStatsHead as Type<DomainStatsHead & Record<StatsCounter, number>>) {}

for (const counter of STATS_COUNTERS)
  ApiProperty({ type: 'integer', minimum: 0, description: `Number of recipients: ${counter}`, example: 0 })(
    DomainStatsDto.prototype,
    counter,
  );
