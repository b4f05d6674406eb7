// Renders asyncapi.yaml: the Kafka topics of the service, with JSON Schemas generated from libs/contracts/src/records.ts.
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { schemaName, schemasOf } from './event-schemas.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const RECORDS = `${ROOT}libs/contracts/src/records.ts`;

/** @returns {string} the document as YAML */
export function renderAsyncApi() {
  const schemas = schemasOf(RECORDS, ['EventRecords', 'PositionRecord', 'AttemptRecord', 'WebhookDeliveryRecord']);
  const { EventRecords, ...others } = schemas;
  const events = Object.fromEntries(
    Object.entries(EventRecords.properties).map(([type, schema]) => [schemaName(type), schema]),
  );
  const document = {
    asyncapi: '3.0.0',
    info: info(),
    defaultContentType: 'application/json',
    servers: {
      kafka: {
        host: 'kafka.example.com:9092',
        protocol: 'kafka',
        description: 'The brokers of the setting `KAFKA_BROKERS`.',
      },
    },
    channels: channels(Object.keys(events)),
    operations: operations(),
    components: {
      messages: {
        ...Object.fromEntries(
          Object.entries(EventRecords.properties).map(([type]) => [schemaName(type), eventMessage(type)]),
        ),
        Position: message('Position', 'log.position', {
          summary:
            'Every event up to a position is before this record. Skip it unless you need to know what is complete.',
          headers: ref('schemas', 'PositionHeaders'),
          payload: ref('schemas', 'PositionRecord'),
        }),
        Attempt: message('Attempt', 'email.attempt', {
          summary: 'An attempt to deliver a message to a recipient.',
          key: emailKey(),
          payload: ref('schemas', 'AttemptRecord'),
        }),
        WebhookDelivery: message('WebhookDelivery', 'webhook.delivery', {
          summary: 'A request to a webhook endpoint.',
          key: { type: 'string', description: 'The endpoint, `wh_…`.' },
          payload: ref('schemas', 'WebhookDeliveryRecord'),
        }),
      },
      schemas: { ...headerSchemas(), ...others, ...events },
    },
  };
  return `# Generated from libs/contracts/src/records.ts by \`npm run generate\`.\n${stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 })}`;
}

/**
 * Checks the document with the parser of AsyncAPI.
 * @returns {Promise<string[]>} one line per error or warning
 */
export async function asyncApiProblems(text) {
  const { Parser } = await import('@asyncapi/parser');
  const diagnostics = await new Parser().validate(text);
  return diagnostics
    .filter(({ severity }) => severity <= 1)
    .map(({ path, message: problem }) => `${path.join('.')}: ${problem}`);
}

function info() {
  return {
    title: 'Postloft on Kafka',
    version: '1.0.0',
    description:
      'Topics that the service writes if `KAFKA_BROKERS` is set. Names carry the prefix of `KAFKA_TOPIC_PREFIX`, `postloft.` ' +
      'by default. Delivery is at least once, in order per key. Fields may be added to a version; consumers ignore ' +
      'fields and event types that they do not know. See docs/kafka.md.',
    license: { name: 'MIT' },
  };
}

function channels(eventMessages) {
  const messages = (...names) => Object.fromEntries(names.map((name) => [name, ref('messages', name)]));
  return {
    events: {
      address: 'postloft.email.events.v1',
      title: 'Events',
      description:
        'Everything that happens to messages, domains, suppressions, webhooks and accounts, as webhooks report it.',
      messages: messages(...eventMessages, 'Position'),
    },
    attempts: {
      address: 'postloft.email.attempts.v1',
      title: 'Attempts',
      description: 'Every attempt to deliver a message, with the reply of the remote host.',
      messages: messages('Attempt'),
    },
    webhookDeliveries: {
      address: 'postloft.webhook.deliveries.v1',
      title: 'Webhook deliveries',
      description: 'Every request to a webhook endpoint.',
      messages: messages('WebhookDelivery'),
    },
  };
}

function operations() {
  const sent = (channel, summary) => ({ action: 'send', channel: { $ref: `#/channels/${channel}` }, summary });
  return {
    sendEvents: sent('events', 'Copies the event log.'),
    sendAttempts: sent('attempts', 'Copies delivery attempts.'),
    sendWebhookDeliveries: sent('webhookDeliveries', 'Copies requests to webhook endpoints.'),
  };
}

const emailKey = () => ({ type: 'string', description: 'The message, `em_…`.' });

/** What the key of an event's record names. */
function eventKey(type) {
  if (type.startsWith('email.')) return emailKey();
  return { type: 'string', description: 'The object of the event. Events of one key keep their order.' };
}

const eventMessage = (type) =>
  message(schemaName(type), type, { key: eventKey(type), payload: ref('schemas', schemaName(type)) });

function message(name, title, { summary, key, headers = ref('schemas', 'RecordHeaders'), payload }) {
  return {
    name,
    title,
    ...(summary === undefined ? {} : { summary }),
    headers,
    payload,
    ...(key === undefined ? {} : { bindings: { kafka: { key, bindingVersion: '0.5.0' } } }),
  };
}

function headerSchemas() {
  const type = {
    type: 'string',
    description: 'The type of the record, so that others can be skipped without parsing.',
  };
  return {
    RecordHeaders: {
      type: 'object',
      required: ['event-id', 'event-type'],
      properties: {
        'event-id': { type: 'string', description: 'The `id` of the value. The same record may occur more than once.' },
        'event-type': type,
      },
    },
    PositionHeaders: { type: 'object', required: ['event-type'], properties: { 'event-type': type } },
  };
}

const ref = (kind, name) => ({ $ref: `#/components/${kind}/${name}` });
