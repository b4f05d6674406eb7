export { WebhookDispatcher } from './delivery/dispatcher.js';
export { PENDING_LIMIT, WebhookFigures, type DeliveryFigures } from './history/delivery-figures.js';
export { webhookDeliveryRecords } from './history/delivery-records.js';
export { WebhookDeliveryLog } from './history/delivery-log.js';
export {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  type WebhookAttemptView,
  type WebhookEventDetail,
  type WebhookEventView,
} from './history/delivery-view.js';
export { WebhookFanOut } from './fan-out/fan-out.js';
export type { WebhookInputOptions, WebhookFields } from './endpoints/fields.js';
export {
  REPLAY_STATUSES,
  RUNNING_REPLAYS,
  WebhookRangeReplays,
  type ReplayStatus,
  type ReplayView,
} from './history/range-replay.js';
export { WebhookReplay } from './history/replay.js';
export { noticeFailingWebhooks } from './endpoints/failing.js';
export { eraseDeliveries } from './history/erase-deliveries.js';
export { WebhookRetention } from './history/retention.js';
export {
  OVERLAP_HOURS,
  overlapHoursRule,
  replayCursorRule,
  replayStatusRule,
  replayTimeRule,
  WEBHOOK_DOMAINS_MAXIMUM,
  webhookEventsRule,
} from './endpoints/field-rules.js';
export { WebhookSecrets, type RotatedSecret } from './endpoints/secrets.js';
export { WebhookSubscriptions } from './endpoints/subscriptions.js';
export type { WebhookView } from './endpoints/webhook-view.js';
export { WebhooksModule } from './webhooks.module.js';
