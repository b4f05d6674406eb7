import { Allowances } from '#libs/accounts';
import { Config } from '#libs/kernel';
import { UsageType } from '../graphql/usage/usage.type.js';
import { UsageDto } from '../rest/usage/usage.dto.js';
import { VisibleUsage } from '../rest/usage/visible-usage.js';
import { operation, type OperationGroup } from './operation.js';

const get = operation({
  tag: 'Usage',
  rest: 'GET /',
  graphql: {
    field: 'Query.usage',
    about:
      'The current, exact usage of the monthly allowance. For a key that is limited to domains, `used` has the units of ' +
      'these domains.',
    type: UsageType,
  },
  scope: 'stats.read',
  summary: 'Get the usage of the monthly allowance',
  description:
    'The current, exact values. The event `account.allowance_warning` is sent at 80% and 100%; further emails are ' +
    'answered 429. For a key that is limited to domains, `used` has the units of these domains.',
  response: UsageDto,
  uses: [VisibleUsage, Allowances, Config],
  run: async ({ caller }, visibleUsage, { unit }, { settings }): Promise<UsageDto> => {
    const { resetsAt, ...usage } = await visibleUsage.of(caller);
    return {
      object: 'usage',
      ...usage,
      unit,
      resets_at: resetsAt.toISOString(),
      rate_limit_per_second: settings.RATE_LIMIT_PER_SECOND,
    };
  },
});

/** The monthly allowance of the account. */
export const USAGE: OperationGroup = { name: 'Usage', path: 'usage', operations: { get } };
