import type { Type } from '@nestjs/common';
import { resolverOf } from '../graphql/resolver-of.js';
import { controllerOf } from '../rest/controller-of.js';
import { ACCOUNT } from './account.js';
import { API_KEYS } from './api-keys.js';
import { AUDIT_LOG } from './audit-log.js';
import { CAPTURED } from './captured.js';
import { DOMAINS } from './domains.js';
import { EMAIL_ATTACHMENTS } from './email-attachments.js';
import { EMAIL_CHANGES } from './email-changes.js';
import { EMAILS } from './emails.js';
import { ERASURES } from './erasures.js';
import { EVENTS } from './events.js';
import type { OperationGroup } from './operation.js';
import { OPERATOR_ACCOUNTS } from './operator-accounts.js';
import { QUEUES } from './queues.js';
import { REQUEST_LOG } from './request-log.js';
import { SENDING } from './sending.js';
import { STATS } from './stats.js';
import { SUPPRESSIONS_BULK } from './suppressions-bulk.js';
import { SUPPRESSIONS } from './suppressions.js';
import { USAGE } from './usage.js';
import { WEBHOOK_EVENTS } from './webhook-events.js';
import { WEBHOOK_REPLAYS } from './webhook-replays.js';
import { WEBHOOKS } from './webhooks.js';

/** All operations of this folder. */
const GROUPS: readonly OperationGroup[] = [
  ...[ACCOUNT, API_KEYS, AUDIT_LOG, CAPTURED, DOMAINS, EMAIL_ATTACHMENTS, EMAIL_CHANGES, EMAILS, ERASURES],
  ...[EVENTS, OPERATOR_ACCOUNTS, QUEUES, REQUEST_LOG, SENDING, STATS, SUPPRESSIONS_BULK, SUPPRESSIONS],
  ...[USAGE, WEBHOOK_EVENTS, WEBHOOK_REPLAYS, WEBHOOKS],
];
const generated = GROUPS.map((group) => ({ group, controller: controllerOf(group) }));

/** The controllers and resolvers of all operations that are declared in this folder. */
export const GENERATED_CONTROLLERS = generated.map(({ controller }) => controller);
export const GENERATED_RESOLVERS = generated.map(({ group, controller }) => resolverOf(group, controller));

export const ApiKeysController = generatedController(API_KEYS);
export const DomainsController = generatedController(DOMAINS);
export const EmailAttachmentsController = generatedController(EMAIL_ATTACHMENTS);
export const EmailsController = generatedController(EMAILS);
export const StatsController = generatedController(STATS);
export const WebhookEventsController = generatedController(WEBHOOK_EVENTS);
export const WebhooksController = generatedController(WEBHOOKS);

/** For resolvers of fields that are not generated: they require the scopes of its routes. */
function generatedController(of: OperationGroup): Type {
  const found = generated.find(({ group }) => group === of);
  if (found === undefined) throw new Error(`${of.name} is not generated`);
  return found.controller;
}
