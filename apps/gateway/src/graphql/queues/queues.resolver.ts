import { Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { QueueOverview } from '#libs/queue';
import { QueuesController } from '../../rest/queues/queues.controller.js';
import { CallerOf } from '../graphql-caller.js';
import { QueueType, toQueue } from '../live/queue.type.js';

/** What waits to be delivered. The subscription of the same name is in `live`. */
@Resolver(() => QueueType)
export class QueuesResolver {
  constructor(private readonly overview: QueueOverview) {}

  @Query(() => [QueueType], {
    description:
      'What waits to be delivered, for whom, why and since when: one entry per recipient domain and reason, those with the ' +
      'most recipients first, at most 1,000.',
  })
  async queues(@CallerOf(QueuesController, 'list') caller: Principal): Promise<QueueType[]> {
    return (await this.overview.list(caller)).map(toQueue);
  }
}
