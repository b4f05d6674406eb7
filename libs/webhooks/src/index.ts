export { WebhookDispatcher } from './delivery/dispatcher.js';
export { WebhookFigures } from './history/delivery-figures.js';
export { webhookDeliveryRecords } from './history/delivery-records.js';
export { WebhookDeliveryLog } from './history/delivery-log.js';
export { WebhookFanOut } from './fan-out/fan-out.js';
export { RUNNING_REPLAYS, WebhookRangeReplays } from './history/range-replay.js';
export { WebhookReplay } from './history/replay.js';
export { noticeFailingWebhooks } from './endpoints/failing.js';
export { eraseDeliveries } from './history/erase-deliveries.js';
export type { WebhookInputOptions } from './endpoints/fields.js';
export { WebhookRetention } from './history/retention.js';
export { WebhookSecrets } from './endpoints/secrets.js';
export { WebhookSubscriptions } from './endpoints/subscriptions.js';
export {
  createdWebhook,
  deliveryFigures,
  lastDay,
  rotatedSecret,
  secretRotation,
  webhook,
  webhookDetail,
  type WebhookSettings,
  type WebhookView,
} from './webhook.resource.js';
export {
  webhookAttempt,
  webhookEvent,
  webhookEventDetail,
  type WebhookAttemptView,
  type WebhookEventDetail,
  type WebhookEventView,
} from './webhook-event.resource.js';
export { replayFilter, replayRequest, webhookReplay, type ReplayRequest } from './webhook-replay.resource.js';
export { WebhooksModule } from './webhooks.module.js';
