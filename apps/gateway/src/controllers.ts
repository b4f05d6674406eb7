import { DashboardController } from './dashboard/dashboard.controller.js';
import { GraphiqlController } from './dashboard/graphiql.controller.js';
import { DocsController } from './openapi/docs.controller.js';
import { GENERATED_CONTROLLERS } from './api/generated.js';
import { EmailAttachmentsController } from './rest/emails/email-attachments.controller.js';
import { OpsController } from './rest/ops/ops.controller.js';
import { ResendApiKeysController } from './resend/api-keys/resend-api-keys.controller.js';
import { ResendDomainsController } from './resend/domains/resend-domains.controller.js';
import { ResendEmailAttachmentsController } from './resend/emails/resend-email-attachments.controller.js';
import { ResendEmailsController } from './resend/emails/resend-emails.controller.js';
import { ResendLogsController } from './resend/resend-logs.controller.js';
import { ResendMetricsController } from './resend/resend-metrics.controller.js';
import { ResendSendingController } from './resend/emails/resend-sending.controller.js';
import { ResendSuppressionsController } from './resend/suppressions/resend-suppressions.controller.js';
import { ResendUsageController } from './resend/resend-usage.controller.js';
import { ResendWebhookEventsController } from './resend/webhooks/resend-webhook-events.controller.js';
import { ResendWebhooksController } from './resend/webhooks/resend-webhooks.controller.js';
import { UnsubscribeController } from './tracking/unsubscribe.controller.js';
import { VisitsController } from './tracking/visits.controller.js';

/** All REST controllers. Routes with the same path prefix are matched in this order. */
export const CONTROLLERS = [
  DashboardController,
  DocsController,
  ...GENERATED_CONTROLLERS,
  EmailAttachmentsController,
  GraphiqlController,
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
  UnsubscribeController,
  VisitsController,
];
