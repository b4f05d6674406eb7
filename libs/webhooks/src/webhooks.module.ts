import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookCaller } from './webhook-caller.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import { WebhookFanOut } from './webhook-fan-out.js';
import { WebhookLedger } from './webhook-ledger.js';
import { WebhookPost } from './webhook-post.js';
import { WebhookSubscriptions } from './webhook-subscriptions.js';
import { Webhook } from './webhook.entity.js';

/** Subscriptions for the gateway; fan-out and dispatcher for the program that calls customers. Starts nothing by itself. */
@Module({
  imports: [TypeOrmModule.forFeature([Webhook])],
  providers: [WebhookSubscriptions, WebhookFanOut, WebhookLedger, WebhookPost, WebhookCaller, WebhookDispatcher],
  exports: [WebhookSubscriptions, WebhookFanOut, WebhookDispatcher],
})
export class WebhooksModule {}
