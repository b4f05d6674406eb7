import { Controller, Get } from '@nestjs/common';
import { Allowances, type Principal } from '#libs/accounts';
import { Config } from '#libs/kernel';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { Operation } from '../openapi/operation.js';
import { UsageDto } from './usage.dto.js';

/** What the caller's account has used of its month (D-53). */
@Controller('usage')
export class UsageController {
  constructor(
    private readonly allowances: Allowances,
    private readonly config: Config,
  ) {}

  @Get()
  @RequiresScope('stats.read')
  @Operation({
    tag: 'Usage',
    summary: 'Get the use of the monthly allowance',
    description:
      'Exact at this moment. Reaching 80 and 100 % sends the event `account.allowance_warning`; beyond it mail is ' +
      'answered 429.',
    answer: UsageDto,
  })
  async get(@Caller() caller: Principal): Promise<UsageDto> {
    const { plan, month, limit, used, remaining, resetsAt } = await this.allowances.usage(caller.accountId);
    return {
      object: 'usage',
      plan,
      unit: this.allowances.unit,
      month,
      limit,
      used,
      remaining,
      resets_at: resetsAt.toISOString(),
      rate_limit_per_second: this.config.settings.RATE_LIMIT_PER_SECOND,
    };
  }
}
