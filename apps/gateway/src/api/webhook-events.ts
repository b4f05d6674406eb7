import { WebhookDeliveryLog, WebhookReplay } from '#libs/webhooks';
import { pageRequest } from '../rest/list.dto.js';
import { toDeliveryFilter } from '../rest/webhooks/delivery-filter.js';
import {
  WebhookAttemptList,
  WebhookAttemptsQuery,
  WebhookEventDetailDto,
  WebhookEventDto,
  WebhookEventList,
  WebhookEventsQuery,
} from '../rest/webhooks/webhook-events.dto.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Webhooks';

const list = operation({
  tag,
  rest: 'GET /events',
  // The field `deliveries` of a webhook.
  graphql: null,
  scope: 'webhooks.read',
  summary: 'List the events of a webhook',
  description: 'The events of the last 30 days and their delivery status, newest first.',
  path: ['id'],
  query: WebhookEventsQuery,
  response: WebhookEventList,
  errors: [400, 404],
  uses: [WebhookDeliveryLog],
  run: ({ caller, id, query }, log) =>
    log.list(caller, id, { filter: toDeliveryFilter(query), page: pageRequest(query, 'evt') }),
});

const find = operation({
  tag,
  rest: 'GET /events/:eventId',
  // The field `delivery` of a webhook.
  graphql: null,
  scope: 'webhooks.read',
  summary: 'Get an event of a webhook',
  description: 'With the body of its calls.',
  path: ['id', 'eventId'],
  response: WebhookEventDetailDto,
  errors: [404],
  uses: [WebhookDeliveryLog],
  run: ({ caller, id, eventId }, log) => log.find(caller, id, eventId),
});

const attempts = operation({
  tag,
  rest: 'GET /events/:eventId/attempts',
  // The field `calls` of a delivery.
  graphql: null,
  scope: 'webhooks.read',
  summary: 'List the calls of an event',
  description: 'All calls made for the event, newest first, with the first 4 KiB of each response.',
  path: ['id', 'eventId'],
  query: WebhookAttemptsQuery,
  response: WebhookAttemptList,
  errors: [400, 404],
  uses: [WebhookDeliveryLog],
  run: ({ caller, id, eventId, query }, log) =>
    log.attempts(caller, { webhookId: id, eventId }, pageRequest(query, 'atm')),
});

const again = operation({
  tag,
  rest: 'POST /events/:eventId/replay',
  graphql: {
    field: 'Mutation.replayWebhookEvent',
    about:
      'Sends one event again, with the same id and body, and with a full set of retries. A disabled webhook is not called: ' +
      '`conflict`.',
    arguments: { id: 'The id of the webhook', eventId: 'The id of the event' },
    names: { id: 'webhookId' },
  },
  scope: 'webhooks.write',
  summary: 'Replay an event',
  description:
    'Sends the event at once, with the same id and body, and with a full set of retries. A disabled webhook is not called (409).',
  path: ['id', 'eventId'],
  response: WebhookEventDto,
  errors: [404, 409],
  uses: [WebhookReplay],
  run: ({ caller, id, eventId }, replay) => replay.replayEvent(caller, id, eventId),
});

/** The events sent to a webhook. */
export const WEBHOOK_EVENTS: OperationGroup = {
  name: 'WebhookEvents',
  path: 'webhooks/:id',
  operations: { list, find, attempts, again },
};
