import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookAudience } from './webhook-audience.js';
import { WebhookCaller } from './webhook-caller.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import { WebhookEventLog } from './webhook-event-log.js';
import { WebhookFanOut } from './webhook-fan-out.js';
import { WebhookLedger } from './webhook-ledger.js';
import { WebhookPost } from './webhook-post.js';
import { WebhookReplay } from './webhook-replay.js';
import { WebhookRetention } from './webhook-retention.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookSubscriptions } from './webhook-subscriptions.js';
import { Webhook } from './webhook.entity.js';

const MANAGEMENT = [WebhookSubscriptions, WebhookSecrets, WebhookEventLog, WebhookReplay];
const DISPATCH = [WebhookFanOut, WebhookDispatcher, WebhookRetention];

/** Management for the gateway; fan-out, dispatcher and retention for the program that calls customers. Starts nothing. */
@Module({
  imports: [TypeOrmModule.forFeature([Webhook])],
  providers: [...MANAGEMENT, ...DISPATCH, WebhookAudience, WebhookLedger, WebhookPost, WebhookCaller],
  exports: [...MANAGEMENT, ...DISPATCH],
})
export class WebhooksModule {}
