import { webhookAttempt, webhookEvent, webhookEventDetail } from './webhook-event.resource.js';
import { replayFilter, replayRequest, webhookReplay } from './webhook-replay.resource.js';
import {
  createdWebhook,
  deliveryFigures,
  lastDay,
  rotatedSecret,
  secretRotation,
  webhook,
  webhookDetail,
} from './webhook.resource.js';

/** The definitions of this library, for requests and responses. */
export const webhookShapes = {
  createdWebhook,
  deliveryFigures,
  lastDay,
  replayFilter,
  replayRequest,
  rotatedSecret,
  secretRotation,
  webhook,
  webhookAttempt,
  webhookDetail,
  webhookEvent,
  webhookEventDetail,
  webhookReplay,
};
