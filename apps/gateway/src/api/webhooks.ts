import type { Principal } from '#libs/accounts';
import { isId, LIMITS } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import {
  WebhookFigures,
  WebhookReplay,
  WebhookSecrets,
  WebhookSubscriptions,
  type WebhookInputOptions,
  type WebhookSettings,
  webhookShapes,
} from '#libs/webhooks';
import { DeletedType } from '../graphql/deleted.type.js';
import {
  CreateWebhookInput,
  RotateWebhookSecretInput,
  UpdateWebhookInput,
  WebhookType,
} from '../graphql/webhooks/webhook.type.js';
import { exampleId } from '../openapi/properties.js';
import { WebhookEventDto } from '../rest/webhooks/webhook-events.dto.js';
import {
  ChangeWebhookDto,
  CreatedWebhookDto,
  CreateWebhookDto,
  RotatedSecretDto,
  RotateSecretDto,
  WebhookDeletedDto,
  WebhookDetailDto,
  WebhookDto,
} from '../rest/webhooks/webhooks.dto.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Webhooks';
const theWebhook = { id: 'The id of the webhook' };
const URL = 'https://example.com/hooks/mail';

const create = operation({
  tag,
  rest: 'POST /',
  graphql: {
    field: 'Mutation.createWebhook',
    about: `Creates a webhook. Its \`secret\` is returned only once. At most ${LIMITS.webhooksPerAccount} per account.`,
    input: { type: CreateWebhookInput, about: 'The webhook' },
  },
  scope: 'webhooks.write',
  summary: 'Create a webhook',
  description: `The response contains the signing secret, which is returned only once. At most ${LIMITS.webhooksPerAccount} per account, otherwise 409.`,
  body: CreateWebhookDto,
  examples: {
    all: { summary: 'All events', value: { url: URL, events: ['*'] } },
    some: {
      summary: 'Some events of one domain',
      value: {
        url: URL,
        events: ['email.delivered', 'email.bounced', 'email.complained'],
        domain_ids: [exampleId('dom')],
      },
    },
  },
  response: CreatedWebhookDto,
  status: 201,
  errors: [400, 409],
  uses: [WebhookSubscriptions, SendingDomains],
  run: async ({ caller, body }, webhooks, domains) =>
    webhooks.create(caller, settingsOf(body), await contextOf(caller, body, domains)),
});

const list = operation({
  tag,
  rest: 'GET /',
  graphql: { field: 'Query.webhooks', about: 'All webhooks, newest first, without their secrets.' },
  scope: 'webhooks.read',
  summary: 'List webhooks',
  description: 'All webhooks, newest first, without their secrets.',
  response: [WebhookDto],
  uses: [WebhookSubscriptions],
  run: ({ caller }, webhooks) => webhooks.list(caller),
});

const find = operation({
  tag,
  rest: 'GET /:id',
  graphql: {
    field: 'Query.webhook',
    about: 'One webhook. Null if the account has no such webhook.',
    arguments: theWebhook,
    type: WebhookType,
    isNullable: true,
  },
  scope: 'webhooks.read',
  summary: 'Get a webhook',
  description: 'With figures on its deliveries, which the list does not contain.',
  path: ['id'],
  response: WebhookDetailDto,
  errors: [404],
  uses: [WebhookSubscriptions, WebhookFigures],
  run: async ({ caller, id }, webhooks, figures) => {
    const found = await webhooks.find(caller, id);
    return found && { ...found, delivery: await figures.of(id) };
  },
});

const change = operation({
  tag,
  rest: 'PATCH /:id',
  graphql: {
    field: 'Mutation.updateWebhook',
    about: 'Changes a webhook. Retries of earlier events go to the new URL.',
    arguments: theWebhook,
    input: { type: UpdateWebhookInput, about: 'The changes' },
  },
  scope: 'webhooks.write',
  summary: 'Change a webhook',
  description:
    'Absent fields are not changed. Retries of earlier events go to the new URL. Whenever a webhook is disabled, by ' +
    "request or automatically, the account's other webhooks receive `webhook.disabled`.",
  path: ['id'],
  body: ChangeWebhookDto,
  examples: {
    enable: { summary: 'Enable', value: { status: 'enabled' } },
    url: { summary: 'Another URL', value: { url: `${URL}-2` } },
    events: { summary: 'Other events', value: { events: ['email.bounced'], domain_ids: null, include_bots: true } },
  },
  response: WebhookDto,
  errors: [400, 404],
  uses: [WebhookSubscriptions, SendingDomains],
  run: async ({ caller, id, body }, webhooks, domains) =>
    webhooks.update(caller, id, { changes: settingsOf(body), options: await contextOf(caller, body, domains) }),
});

const remove = operation({
  tag,
  rest: 'DELETE /:id',
  graphql: {
    field: 'Mutation.deleteWebhook',
    about: 'Deletes the webhook and its pending events.',
    arguments: theWebhook,
    type: DeletedType,
  },
  scope: 'webhooks.write',
  summary: 'Delete a webhook',
  description: 'Deletes the webhook and its pending events.',
  path: ['id'],
  response: WebhookDeletedDto,
  errors: [404],
  uses: [WebhookSubscriptions],
  run: async ({ caller, id }, webhooks) =>
    (await webhooks.remove(caller, id)) ? { object: 'webhook', id, deleted: true } : null,
});

const test = operation({
  tag,
  rest: 'POST /:id/test',
  graphql: {
    field: 'Mutation.testWebhook',
    about:
      'Sends `webhook.test` to this webhook alone, whatever event types it receives. A disabled webhook is not called: ' +
      '`conflict`.',
    arguments: theWebhook,
  },
  scope: 'webhooks.write',
  summary: 'Send a test event',
  description:
    'Sends `webhook.test` to this webhook alone, whatever event types it receives. The result is available at ' +
    '`GET /webhooks/:id/events/:eventId`. A disabled webhook is not called (409).',
  path: ['id'],
  response: WebhookEventDto,
  status: 201,
  errors: [404, 409],
  uses: [WebhookReplay],
  run: ({ caller, id }, replay) => replay.sendTest(caller, id),
});

const rotate = operation({
  tag,
  rest: 'POST /:id/signing-secret/rotate',
  graphql: {
    field: 'Mutation.rotateWebhookSecret',
    about:
      'Rotates the signing secret. Calls are signed with the new secret at once, and also with the old one for ' +
      '`overlapHours`.',
    arguments: theWebhook,
    input: { type: RotateWebhookSecretInput, about: 'How to rotate it', isOptional: true },
  },
  scope: 'webhooks.write',
  summary: 'Rotate the signing secret',
  description:
    'Calls are signed with the new secret at once, and also with the old one for `overlap_hours`, so that receivers ' +
    'can switch without refusing calls.',
  path: ['id'],
  body: RotateSecretDto,
  examples: {
    overlap: { summary: 'Old secret valid for a day', value: { overlap_hours: 24 } },
    atOnce: { summary: 'Old secret invalid at once', value: { overlap_hours: 0 } },
  },
  response: RotatedSecretDto,
  errors: [400, 404],
  uses: [WebhookSecrets],
  run: ({ caller, id, body }, secrets) => secrets.rotate(caller, id, body.overlap_hours),
});

/** Webhook subscriptions. */
export const WEBHOOKS: OperationGroup = {
  name: 'Webhooks',
  path: 'webhooks',
  operations: { create, list, find, change, remove, test, rotate },
};

const settingsOf = ({ endpoint, url = endpoint, ...others }: ChangeWebhookDto): WebhookSettings => ({ url, ...others });

/** The context in which the fields are validated. A domain that the key does not see counts as one that does not exist. */
async function contextOf(
  caller: Principal,
  { url, endpoint, domain_ids }: ChangeWebhookDto,
  domains: SendingDomains,
): Promise<WebhookInputOptions> {
  const ownDomains = new Set<string>();
  // A value that is not a list of ids, or is too long, is refused by the validation of the field.
  const { maxItems } = webhookShapes.webhook.fields.domain_ids.input?.schema ?? {};
  const given: unknown[] = Array.isArray(domain_ids) ? domain_ids.slice(0, maxItems) : [];
  for (const id of given) {
    // Sequential, because a hundred parallel queries would occupy the connection pool.
    if (typeof id === 'string' && isId('dom', id) && (await domains.find(caller, id))) ownDomains.add(id);
  }
  const urlField = url === undefined && endpoint !== undefined ? 'endpoint' : 'url';
  return { payloadFormat: 'native', urlField, ownDomains };
}
