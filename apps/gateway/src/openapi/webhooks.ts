import type { OpenAPIObject } from '@nestjs/swagger';
import bodies from './webhook-bodies.json' with { type: 'json' };

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/** `email.delivery_delayed` → `EmailDeliveryDelayedWebhook`. */
export const webhookSchemaName = (type: string): string =>
  `${type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Webhook`;

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
});

/** See docs/webhooks.md; the headers are those of Standard Webhooks. */
const HEADERS = [
  header('webhook-id', 'The id of the event; the same for every attempt', 'evt_01978c0e5f7b7c3a9d21f0b64c1e88aa'),
  header('webhook-timestamp', 'When the request was made, in seconds since 1970', '1767225600'),
  header(
    'webhook-signature',
    'One or more signatures, separated by spaces: `v1,` and an HMAC-SHA256 in base64',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

/** Adds the section `webhooks`: the requests that endpoints receive, one for each event type. */
export function addWebhooks(document: OpenAPIObject): void {
  const schemas: Schemas = {};
  const webhooks: Record<string, object> = {};
  for (const [type, schema] of Object.entries(bodies)) {
    const name = webhookSchemaName(type);
    schemas[name] = structuredClone(schema) as Schemas[string];
    webhooks[type] = { post: requestOf(type, name) };
  }
  document.components = { ...document.components, schemas: { ...document.components?.schemas, ...schemas } };
  (document as { webhooks?: object }).webhooks = webhooks;
}

function requestOf(type: string, schema: string): object {
  return {
    operationId: `on${schema.replace(/Webhook$/, '')}`,
    tags: ['Webhooks'],
    summary: `Event ${type}`,
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
    },
    responses: { '200': { description: 'Every status from 200 to 299 confirms the event; any other is retried' } },
  };
}
