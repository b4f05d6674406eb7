import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SubscriberLookup } from './fan-out/subscriber-lookup.js';
import { WebhookAttempts } from './delivery/delivery-attempt.js';
import { WebhookDispatcher } from './delivery/dispatcher.js';
import { WebhookFigures } from './history/delivery-figures.js';
import { WebhookDeliveryLog } from './history/delivery-log.js';
import { WebhookFanOut } from './fan-out/fan-out.js';
import { DeliveryQueue } from './delivery/delivery-queue.js';
import { WebhookHttpClient } from './delivery/http-client.js';
import { WebhookRangeReplays } from './history/range-replay.js';
import { WebhookReplay } from './history/replay.js';
import { WebhookRetention } from './history/retention.js';
import { WebhookSecrets } from './endpoints/secrets.js';
import { WebhookSubscriptions } from './endpoints/subscriptions.js';
import { WebhookEntity } from './endpoints/webhook.entity.js';

const MANAGEMENT = [
  WebhookSubscriptions,
  WebhookSecrets,
  WebhookDeliveryLog,
  WebhookFigures,
  WebhookReplay,
  WebhookRangeReplays,
];
const DISPATCH = [WebhookFanOut, WebhookDispatcher, WebhookRetention];

/** Management for the gateway; fan-out, dispatcher and retention for the program that sends webhooks. Starts nothing. */
@Module({
  imports: [TypeOrmModule.forFeature([WebhookEntity])],
  providers: [...MANAGEMENT, ...DISPATCH, SubscriberLookup, DeliveryQueue, WebhookHttpClient, WebhookAttempts],
  exports: [...MANAGEMENT, ...DISPATCH],
})
export class WebhooksModule {}
