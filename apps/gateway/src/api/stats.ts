import { StatsStore } from '#libs/stats';
import { StatsInput } from '../graphql/stats/stats.type.js';
import { metricsResponse } from '../rest/stats/metrics-response.js';
import { StatsDto, StatsQuery } from '../rest/stats/stats.dto.js';
import { operation, type OperationGroup } from './operation.js';

const metrics = operation({
  tag: 'Statistics',
  rest: 'GET /',
  graphql: {
    field: 'Query.stats',
    about:
      'Counts, rates and delivery times. Counts are exact numbers of recipients; `opened` and `clicked` include bots, the ' +
      'unique counts exclude them. Emails of test keys and of the sandbox are not counted. At most 5,000 rows.',
    input: { type: StatsInput, about: 'What to count; all of the last seven days if absent' },
  },
  scope: 'stats.read',
  summary: 'Get counts, rates and delivery times',
  description:
    'Counts are exact numbers of recipients. `opened` and `clicked` include bots; the unique counts exclude them and have ' +
    'a standard error of 0.3% (small numbers are exact). The rates `…_of_settled` are relative to ' +
    '`settled`: recipients whose delivery has ended, without those of the simulator; the dashboard shows them. ' +
    '`delivery_rate` and `bounce_rate` are relative to `sent`, the other `…_rate` to `delivered`, with the simulator. ' +
    'Emails of test keys and of the sandbox are not counted. A response has at most 5,000 ' +
    'rows. Single events are kept for 90 days by default: `email_id`, `dimensions=email` and several groups at once need ' +
    'them, while everything else is kept for ever by quarter of an hour, hour and day. Unknown parameters are refused.',
  query: StatsQuery,
  strictQuery: true,
  response: StatsDto,
  errors: [400],
  uses: [StatsStore],
  run: ({ caller, query }, stats) => metricsResponse(stats, caller, query),
});

/** Statistics of the account, or of the domains of the key. */
export const STATS: OperationGroup = { name: 'Stats', path: 'stats', operations: { metrics } };
