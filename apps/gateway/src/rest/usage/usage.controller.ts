import { Controller, Get } from '@nestjs/common';
import { Allowances, type Principal } from '#libs/accounts';
import { Config } from '#libs/kernel';
import { Caller } from '../../http/caller.js';
import { RequiresScope } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { UsageDto } from './usage.dto.js';
import { VisibleUsage } from './visible-usage.js';

/** The monthly allowance of the caller's account. */
@Controller('usage')
export class UsageController {
  constructor(
    private readonly allowances: Allowances,
    private readonly usage: VisibleUsage,
    private readonly config: Config,
  ) {}

  @Get()
  @RequiresScope('stats.read')
  @Operation({
    tag: 'Usage',
    summary: 'Get the usage of the monthly allowance',
    description:
      'The current, exact values. The event `account.allowance_warning` is sent at 80% and 100%; further e-mails are ' +
      'answered 429. For a key that is limited to domains, `used` has the units of these domains.',
    response: UsageDto,
  })
  async get(@Caller() caller: Principal): Promise<UsageDto> {
    const { plan, month, limit, used, remaining, resetsAt } = await this.usage.of(caller);
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
