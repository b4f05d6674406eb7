export { WebhookDispatcher } from './webhook-dispatcher.js';
export { WebhookFanOut } from './webhook-fan-out.js';
export { webhookEventsRule, webhookUrlRule, type WebhookProblem } from './webhook-rules.js';
export { WebhookSubscriptions, type EnabledWebhook, type WebhookView } from './webhook-subscriptions.js';
export { WebhooksModule } from './webhooks.module.js';
