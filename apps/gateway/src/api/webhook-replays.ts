import { WebhookRangeReplays } from '#libs/webhooks';
import { ReplayWebhookInput, WebhookReplayConnection } from '../graphql/webhooks/webhook.type.js';
import { markReplayed } from '../rest/emails/idempotency.js';
import { pageRequest } from '../rest/list.dto.js';
import { instantOf } from '../rest/validation/query-rules.js';
import { ReplayDto, ReplayList, ReplaysQuery, ReplayStateDto } from '../rest/webhooks/webhook-events.dto.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Webhooks';
const theReplay = {
  arguments: { id: 'The id of the webhook', replayId: 'The id of the replay' },
  names: { id: 'webhookId' },
};

const start = operation({
  tag,
  rest: 'POST /replay',
  graphql: {
    field: 'Mutation.replayWebhook',
    about:
      'Starts to send the events of a time range again in the background, oldest first. The same call while the replay ' +
      `runs returns that replay. At most ${WebhookRangeReplays.most} replays of a webhook run at the same time: \`conflict\`. A ` +
      'disabled webhook is not called: `conflict`.',
    arguments: { id: 'The id of the webhook' },
    input: { type: ReplayWebhookInput, about: 'The range' },
  },
  scope: 'webhooks.write',
  summary: 'Replay the events of a time range',
  description:
    'Starts a replay in the background, oldest events first, each with the same id and body and with a full set of ' +
    'retries. New events are sent meanwhile: a replay waits while 500 events are due. The same request while the replay ' +
    'runs returns that replay. Receivers recognise repeated events by their id. At most ' +
    `${WebhookRangeReplays.most} replays of a webhook run at the same time (409). A disabled webhook is not called (409).`,
  path: ['id'],
  body: ReplayDto,
  examples: {
    failed: {
      summary: 'Failed events of one hour',
      value: { from: '2026-01-31T09:30:00Z', to: '2026-01-31T10:30:00Z', status: 'failed' },
    },
    types: { summary: 'All bounces since a time', value: { from: '2026-01-31T09:30:00Z', types: ['email.bounced'] } },
  },
  response: ReplayStateDto,
  status: 202,
  errors: [400, 404, 409],
  idempotent: true,
  uses: [WebhookRangeReplays],
  run: async ({ caller, id, body: { from, to, types, status, after }, idempotency }, replays) => {
    const range = { from: instantOf(from) as Date, to: instantOf(to), types, status, after };
    const started = await replays.start(caller, id, { range, idempotency });
    return started && { ...started.replay, replayed: started.replayed };
  },
  respond: ({ replayed, ...replay }, reply) => {
    markReplayed(reply, { replayed });
    return replay;
  },
});

const list = operation({
  tag,
  rest: 'GET /replays',
  graphql: {
    field: 'Query.webhookReplays',
    about: 'The replays of a webhook, newest first; ended replays are kept for 30 days.',
    arguments: { id: 'The id of the webhook' },
    names: { id: 'webhookId' },
    list: { connection: WebhookReplayConnection },
  },
  scope: 'webhooks.read',
  summary: 'List the replays of a webhook',
  description: 'Newest first; ended replays are kept for 30 days.',
  path: ['id'],
  query: ReplaysQuery,
  response: ReplayList,
  errors: [400, 404],
  uses: [WebhookRangeReplays],
  run: ({ caller, id, query }, replays) => replays.list(caller, id, pageRequest(query, 'rpl')),
});

const find = operation({
  tag,
  rest: 'GET /replays/:replayId',
  graphql: {
    field: 'Query.webhookReplay',
    about: 'A replay with its progress. Null if the webhook has no such replay.',
    ...theReplay,
    isNullable: true,
  },
  scope: 'webhooks.read',
  summary: 'Get a replay',
  description: 'With its progress.',
  path: ['id', 'replayId'],
  response: ReplayStateDto,
  errors: [404],
  uses: [WebhookRangeReplays],
  run: ({ caller, id, replayId }, replays) => replays.find(caller, id, replayId),
});

const cancel = operation({
  tag,
  rest: 'POST /replays/:replayId/cancel',
  graphql: {
    field: 'Mutation.cancelWebhookReplay',
    about: 'Stops a replay: no further events are queued; those already queued are sent.',
    ...theReplay,
  },
  scope: 'webhooks.write',
  summary: 'Cancel a replay',
  description: 'No further events are queued; those already queued are sent. A replay that has ended stays as it is.',
  path: ['id', 'replayId'],
  response: ReplayStateDto,
  errors: [404],
  uses: [WebhookRangeReplays],
  run: ({ caller, id, replayId }, replays) => replays.cancel(caller, id, replayId),
});

/** Replays of the events of a time range. */
export const WEBHOOK_REPLAYS: OperationGroup = {
  name: 'WebhookReplays',
  path: 'webhooks/:id',
  operations: { start, list, find, cancel },
};
