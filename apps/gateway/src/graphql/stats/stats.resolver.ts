import { Args, Field, ObjectType, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { DIMENSIONS, GROUPS, METRICS, PERCENTILES } from '#libs/stats';
import { StatsController } from '../../rest/stats/stats.controller.js';
import {
  LatencyDto,
  StatsDto,
  StatsQuery,
  StatsRangeDto,
  StatsRowDto,
  StatsValuesDto,
} from '../../rest/stats/stats.dto.js';
import { inputType, queryDtoOf, restQuery } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { CallerOf } from '../graphql-caller.js';
import { Long } from '../scalars.js';

@ObjectType('StatsTag', { description: 'The value of a tag that rows are grouped by.' })
class StatsTagType {
  @Field(() => String, { description: 'The key' })
  key: string;

  @Field(() => String, { nullable: true, description: 'The value; null: e-mails without that tag' })
  value: string | null;
}

const COUNTS = Object.fromEntries(
  METRICS.filter((name) => !name.endsWith('_rate')).map((name) => [name, { type: Long }]),
);

objectType('StatsLatency', LatencyDto, { description: 'Percentiles of the delivery time in milliseconds.' });
const StatsValuesType = objectType('StatsValues', StatsValuesDto, {
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
const StatsType = objectType('Stats', StatsDto, {
  description: 'Counts, rates and delivery times of a range.',
  fields: { totals: { type: StatsValuesType }, data: { type: [StatsRowType] } },
});

const LIST = { separatedByCommas: true } as const;
const StatsInput = inputType('StatsInput', StatsQuery, {
  description: 'The range, the metrics and the groups of statistics.',
  fields: {
    metrics: { ...LIST, description: `The metrics: ${METRICS.join(', ')}. All if absent` },
    dimensions: { ...LIST, description: `The dimensions to group by: ${DIMENSIONS.join(', ')}. Only totals if absent` },
    group_by: {
      ...LIST,
      description:
        `Further groups: ${GROUPS.join(', ')}, and \`tags.\` with a key. provider: the mailbox provider, or the domain; ip and ` +
        'host: the server that answered; bounce_class: the reason of the bounce; api_key: the key that submitted the e-mail',
    },
    percentiles: {
      ...LIST,
      description: `Percentiles of the delivery time: ${Object.keys(PERCENTILES).join(', ')}`,
    },
    domain_id: { ...LIST, description: 'Only these domains, at most 100' },
    email_id: { ...LIST, description: 'Only these e-mails, at most 100' },
  },
});

/** Statistics of the account, or of the domains of the key. */
@Resolver(() => StatsType)
export class StatsResolver {
  constructor(private readonly rest: StatsController) {}

  @Query(() => StatsType, {
    description:
      'Counts, rates and delivery times. Counts are exact numbers of recipients; `opened` and `clicked` include bots, the ' +
      'unique counts exclude them. E-mails of test keys and of the sandbox are not counted. At most 5,000 rows.',
  })
  stats(
    @CallerOf(StatsController, 'metrics') caller: Principal,
    @Args('input', {
      type: () => StatsInput,
      nullable: true,
      description: 'What to count; all of the last week if absent',
    })
    input?: object | null,
  ): Promise<StatsDto> {
    return this.rest.metrics(caller, queryDtoOf(StatsQuery, restQuery(StatsInput, input)));
  }
}
