import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { WebhookSubscriptions, type WebhookView } from '#libs/webhooks';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { BodyPipe } from './body-pipe.js';
import { CreateWebhookDto } from './webhooks.dto.js';

@Controller('webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhookSubscriptions) {}

  /** The only answer that shows the signing secret (D-36). */
  @Post()
  @RequiresScope('webhooks.write')
  create(
    @Caller() caller: Principal,
    @Body(BodyPipe) dto: CreateWebhookDto,
  ): Promise<WebhookView & { secret: string }> {
    return this.webhooks.create(caller.accountId, { url: dto.url, events: dto.events });
  }

  @Get()
  @RequiresScope('webhooks.read')
  list(@Caller() caller: Principal): Promise<WebhookView[]> {
    return this.webhooks.list(caller.accountId);
  }

  @Delete(':id')
  @RequiresScope('webhooks.write')
  async remove(
    @Caller() caller: Principal,
    @Param('id') id: string,
  ): Promise<{ object: 'webhook'; id: string; deleted: true }> {
    if (!(await this.webhooks.remove(caller.accountId, id))) throw new Refusal('not_found');
    return { object: 'webhook', id, deleted: true };
  }
}
