// JSON Schemas of events, generated from the types in libs/contracts/src.
import { fileURLToPath } from 'node:url';
import { createGenerator } from 'ts-json-schema-generator';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const EVENTS = `${ROOT}libs/contracts/src/events.ts`;
/** Properties that are points in time. */
const IS_TIME = /(^|_)at$|^timestamp$/;

/**
 * The text of `apps/gateway/src/openapi/webhook-bodies.json`: the body of a webhook for each event type. Committed, because
 * the service shows it in its API description and has no compiler.
 */
export function renderWebhookBodies() {
  const { WebhookBodies } = schemasOf(EVENTS, ['WebhookBodies']);
  return `${JSON.stringify(WebhookBodies.properties, null, 2)}\n`;
}

/** The schemas of exported types of a file, by name. */
export function schemasOf(file, names) {
  const generator = createGenerator({
    path: file,
    tsconfig: `${ROOT}tsconfig.json`,
    expose: 'none',
    topRef: false,
    skipTypeCheck: true,
    additionalProperties: true,
  });
  return Object.fromEntries(names.map((name) => [name, tidy(generator.createSchema(name))]));
}

/** Without members that say nothing, with the format of points in time, and with integers: records have no other numbers. */
function tidy(schema, name = '') {
  if (Array.isArray(schema)) return schema.map((item) => tidy(item));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema)
    .filter(
      ([key, value]) =>
        key !== '$schema' && key !== 'definitions' && !(key === 'additionalProperties' && value === true),
    )
    .map(([key, value]) => {
      if (key === 'properties') return [key, tidyProperties(value)];
      return [key, key === 'type' ? integers(value) : tidy(value)];
    });
  const isTime = IS_TIME.test(name) && [schema.type].flat().includes('string');
  return Object.fromEntries(isTime ? [...entries, ['format', 'date-time']] : entries);
}

const integers = (type) => (Array.isArray(type) ? type.map(integers) : type === 'number' ? 'integer' : type);

const tidyProperties = (properties) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, tidy(schema, name)]));

/** `email.delivery_delayed` → `EmailDeliveryDelayed`. */
export const schemaName = (type) =>
  type
    .split(/[._]/)
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join('');
