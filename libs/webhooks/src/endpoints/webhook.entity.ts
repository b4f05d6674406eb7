import { entityOf } from '#libs/persistence';
import type { EntitySchema } from 'typeorm';
import { webhook, type StoredWebhook } from '../webhook.resource.js';

export const WebhookEntity: EntitySchema<StoredWebhook> = entityOf(webhook);
