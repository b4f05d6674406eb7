export { WebhookDispatcher } from './webhook-dispatcher.js';
export { WebhookEventLog } from './webhook-event-log.js';
export {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  type WebhookAttemptView,
  type WebhookEventDetail,
  type WebhookEventView,
} from './webhook-event-view.js';
export { WebhookFanOut } from './webhook-fan-out.js';
export type { WebhookDoor, WebhookFields } from './webhook-fields.js';
export { REPLAY_LIMIT, WebhookReplay, type Replayed } from './webhook-replay.js';
export { WebhookRetention } from './webhook-retention.js';
export {
  OVERLAP_HOURS,
  overlapHoursRule,
  replayCursorRule,
  replayStatusRule,
  replayTimeRule,
  WEBHOOK_DOMAINS_MAXIMUM,
  webhookEventsRule,
} from './webhook-rules.js';
export { WebhookSecrets, type RotatedSecret } from './webhook-secrets.js';
export { WebhookSubscriptions } from './webhook-subscriptions.js';
export type { WebhookView } from './webhook-view.js';
export { WebhooksModule } from './webhooks.module.js';
