import { DocsController } from '../openapi/docs.controller.js';
import { ApiKeysController } from './api-keys.controller.js';
import { CapturedController } from './captured.controller.js';
import { DomainsController } from './domains.controller.js';
import { EmailAttachmentsController } from './email-attachments.controller.js';
import { EmailChangesController } from './email-changes.controller.js';
import { EmailsController } from './emails.controller.js';
import { EventsController } from './events.controller.js';
import { LogsController } from './logs.controller.js';
import { OpsController } from './ops.controller.js';
import { ResendApiKeysController } from './resend/resend-api-keys.controller.js';
import { ResendDomainsController } from './resend/resend-domains.controller.js';
import { ResendEmailAttachmentsController } from './resend/resend-email-attachments.controller.js';
import { ResendEmailsController } from './resend/resend-emails.controller.js';
import { ResendLogsController } from './resend/resend-logs.controller.js';
import { ResendMetricsController } from './resend/resend-metrics.controller.js';
import { ResendSendingController } from './resend/resend-sending.controller.js';
import { ResendSuppressionsController } from './resend/resend-suppressions.controller.js';
import { ResendUsageController } from './resend/resend-usage.controller.js';
import { ResendWebhookEventsController } from './resend/resend-webhook-events.controller.js';
import { ResendWebhooksController } from './resend/resend-webhooks.controller.js';
import { SendingController } from './sending.controller.js';
import { SuppressionsBulkController } from './suppressions-bulk.controller.js';
import { SuppressionsController } from './suppressions.controller.js';
import { WebhookEventsController } from './webhook-events.controller.js';
import { StatsController } from './stats.controller.js';
import { UnsubscribeController } from '../tracking/unsubscribe.controller.js';
import { UsageController } from './usage.controller.js';
import { WebhooksController } from './webhooks.controller.js';

/** Every REST controller; routes of one path prefix are matched in this order. */
export const CONTROLLERS = [
  ApiKeysController,
  CapturedController,
  DocsController,
  DomainsController,
  EmailAttachmentsController,
  EmailChangesController,
  EmailsController,
  EventsController,
  LogsController,
  OpsController,
  ResendApiKeysController,
  ResendDomainsController,
  ResendEmailAttachmentsController,
  ResendLogsController,
  ResendMetricsController,
  ResendEmailsController,
  ResendSendingController,
  ResendSuppressionsController,
  ResendUsageController,
  ResendWebhookEventsController,
  ResendWebhooksController,
  SendingController,
  WebhookEventsController,
  StatsController,
  SuppressionsBulkController,
  SuppressionsController,
  UnsubscribeController,
  UsageController,
  WebhooksController,
];
