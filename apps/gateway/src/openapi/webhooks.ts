import type { OpenAPIObject } from '@nestjs/swagger';
import bodies from './webhook-bodies.json' with { type: 'json' };

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

/**
 * Adds the section `webhooks`: the requests that endpoints receive, one for each event type. The schemas are inline, because
 * oapi-codegen drops components that no path refers to.
 */
export function addWebhooks(document: OpenAPIObject): void {
  const webhooks = Object.entries(bodies).map(([type, schema]) => [type, { post: requestOf(type, schema) }]);
  (document as { webhooks?: object }).webhooks = Object.fromEntries(webhooks) as object;
}

function requestOf(type: string, schema: object): object {
  return {
    // `email.delivery_delayed` → `onEmailDeliveryDelayed`
    operationId: `on${type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: ['Webhooks'],
    summary: `Event ${type}`,
    security: [],
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema: structuredClone(schema) } } },
    responses: { '200': { description: 'Every status from 200 to 299 confirms the event; any other is retried' } },
  };
}
