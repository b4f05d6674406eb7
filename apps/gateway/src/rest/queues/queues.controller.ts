import { Controller, Get } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { QueueOverview } from '#libs/queue';
import { Caller } from '../../http/caller.js';
import { RequiresScope } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { QueueList } from './queues.dto.js';

/** What waits to be delivered. */
@Controller('queues')
export class QueuesController {
  constructor(private readonly queues: QueueOverview) {}

  @Get()
  @RequiresScope('emails.read')
  @Operation({
    tag: 'Queues',
    summary: 'List waiting recipients by domain and reason',
    description:
      'One entry per recipient domain and reason, those with the most recipients first, at most 1,000. ' +
      'Read from the database at most twice a second.',
    response: QueueList,
  })
  async list(@Caller() caller: Principal): Promise<QueueList> {
    const queues = await this.queues.list(caller);
    const data = queues.map((queue) => ({ object: 'queue' as const, ...queue }));
    return { object: 'list', has_more: false, data, next_cursor: null };
  }
}
