import { Field, ObjectType } from '@nestjs/graphql';
import { statsWords } from '#libs/stats';
import {
  LatencyDto,
  StatsDto,
  StatsQuery,
  StatsRangeDto,
  StatsRowDto,
  StatsValuesDto,
} from '../../rest/stats/stats.dto.js';
import { isShare } from '../../rest/stats/stats-rules.js';
import { inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { Long } from '../scalars.js';

@ObjectType('StatsTag', { description: 'The value of a tag that rows are grouped by.' })
class StatsTagType {
  @Field(() => String, { description: 'The key' })
  key: string;

  @Field(() => String, { nullable: true, description: 'The value; null: emails without that tag' })
  value: string | null;
}

const COUNTS = Object.fromEntries(
  statsWords.metrics.filter((name) => !isShare(name)).map((name) => [name, { type: Long }]),
);

objectType('StatsLatency', LatencyDto, { description: 'Percentiles of the delivery time in milliseconds.' });
export const StatsValuesType = objectType('StatsValues', StatsValuesDto, {
  description: 'The values of the requested metrics. Metrics that were not requested are null.',
  fields: COUNTS,
});
const StatsRowType = objectType('StatsRow', StatsRowDto, {
  description: 'One group of statistics with its values.',
  fields: {
    ...COUNTS,
    tags: {
      type: [StatsTagType],
      nullable: true,
      value: ({ tags }) => tags && Object.entries(tags).map(([key, value]) => ({ key, value })),
    },
  },
});
objectType('StatsRange', StatsRangeDto, {
  description: 'The figures of the range before, for a comparison.',
  fields: { totals: { type: StatsValuesType }, data: { type: [StatsRowType] } },
});
objectType('Stats', StatsDto, {
  description: 'Counts, rates and delivery times of a range.',
  fields: { totals: { type: StatsValuesType }, data: { type: [StatsRowType] } },
});

const LIST = { separatedByCommas: true } as const;
export const StatsInput = inputType('StatsInput', StatsQuery, {
  description: 'The range, the metrics and the groups of statistics.',
  fields: {
    metrics: { ...LIST, description: `The metrics: ${statsWords.metrics.join(', ')}. All if absent` },
    dimensions: {
      ...LIST,
      description: `The dimensions to group by: ${statsWords.dimensions.join(', ')}. Only totals if absent`,
    },
    group_by: {
      ...LIST,
      description:
        `Further groups: ${statsWords.groups.join(', ')}, and \`tags.\` with a key. provider: the mailbox provider, or the domain; ip and ` +
        'host: the server that answered; bounce_class: the reason of the bounce; api_key: the key that submitted the email',
    },
    percentiles: {
      ...LIST,
      description: `Percentiles of the delivery time: ${statsWords.percentiles.join(', ')}`,
    },
    domain_id: { ...LIST, description: 'Only these domains, at most 100' },
    email_id: { ...LIST, description: 'Only these emails, at most 100' },
  },
});
