import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  TENANT_OPERATIONS,
  propertiesOf,
  resolved,
  type ApiOperation,
  type Schema,
} from '../../support/rest/api-operations.js';
import { sharedService } from '../../support/services/service-client.js';
import { moveIn, type Kind, type Tenant } from '../../support/rest/tenant.js';
import { EXAMPLE_SCHEDULE } from '../../../apps/gateway/src/openapi/properties.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

/** Meaning of the ids in the examples, by prefix. */
const KINDS: Record<string, Kind> = {
  em: 'email',
  att: 'attachment',
  evt: 'event',
  cap: 'captured',
  dom: 'domain',
  wh: 'webhook',
  key: 'apiKey',
  sup: 'suppressionId',
  dlv: 'webhookDelivery',
  rpl: 'webhookReplay',
  ers: 'erasure',
  log: 'log',
};
/** Of these fields a request needs one, and the schema does not say so. */
const ONE_OF = [
  ['text', 'html'],
  ['content', 'path'],
  ['url', 'endpoint'],
  ['emails', 'entries', 'ids'],
  ['url', 'mailto'],
];
/** Further conditions of the value of a field. */
const BESIDE: Record<string, object> = { sandbox_result: { sandbox: true } };
/** These examples are addresses outside, which tests never reach. */
const OUTSIDE = /https:\/\/files\.example\.com\//;

let receiver: WebhookReceiver;
let tenant: Tenant;
let baseUrl: string;
let number = 0;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  const service = await sharedService('rest');
  baseUrl = service.url;
  tenant = await moveIn(service, 'examples', receiver.url('/examples'));
});
afterAll(async () => {
  await receiver?.close();
});

/** The examples name things that only this account has: its own domain, and its own things. */
function asOwn(value: unknown, { name }: ApiOperation): unknown {
  const domain = name === 'POST /domains' ? `new-${++number}.${tenant.domain}` : tenant.domain;
  const text = JSON.stringify(value)
    .replaceAll('mail.example.com', domain)
    // As the documentation page does.
    .replaceAll(EXAMPLE_SCHEDULE, new Date(Date.now() + 3_600_000).toISOString())
    .replaceAll(/\b([a-z]{2,3})_01978c0e5f7b7c3a9d21f0b64c1e88aa\b/g, (id, prefix: string) =>
      prefix in KINDS ? tenant.things[KINDS[prefix]] : id,
    );
  return JSON.parse(text);
}

/** The values that a schema shows: its examples, or what its parts show. */
function shownBy(schema: Schema): unknown[] {
  const { examples, items, format, oneOf = [], anyOf = [], properties } = resolved(schema);
  if (examples !== undefined) return examples;
  // The page in the browser proposes the time of its own clock.
  if (format === 'date-time') return [new Date().toISOString()];
  if (schema.examples !== undefined) return schema.examples;
  if (items !== undefined) return shownBy(items).map((one) => [one]);
  if (properties !== undefined) return bodiesOf(schema).map(({ body }) => body);
  return [...oneOf, ...anyOf].flatMap(shownBy);
}

interface Body {
  field: string;
  body: Record<string, unknown>;
}

/** One body per example of a field, with the fields that every body needs. */
function bodiesOf(schema: Schema): Body[] {
  const properties = propertiesOf(schema);
  const { required = [] } = resolved(schema);
  const pick = (names: string[]) => Object.fromEntries(names.map((name) => [name, shownBy(properties[name])[0]]));
  return Object.entries(properties).flatMap(([field, property]) => {
    const missing = ONE_OF.filter((group) => group[0] in properties && !group.includes(field)).map(([first]) => first);
    return shownBy(property).map((value) => ({
      field,
      body: { ...pick([...required, ...missing]), ...BESIDE[field], [field]: value },
    }));
  });
}

interface Outcome {
  status: number;
  text: string;
}

/** @param body a text goes as CSV, everything else as JSON */
async function send(operation: ApiOperation, places: Record<string, unknown>, body?: unknown): Promise<Outcome> {
  const of = (place: string) =>
    Object.entries(places).flatMap(([spot, value]) =>
      spot.startsWith(`${place}:`) ? [[spot.slice(place.length + 1), value] as const] : [],
    );
  const path = of('path').reduce(
    (all, [name, value]) => all.replace(`{${name}}`, encodeURIComponent(String(value))),
    operation.path,
  );
  // An object as `style: deepObject` writes it.
  const query = new URLSearchParams(
    of('query').flatMap(([name, value]): [string, string][] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([key, one]) => [`${name}[${key}]`, String(one)])
        : [[name, String(value)]],
    ),
  );
  const answer = await fetch(`${baseUrl}${path}?${query.toString()}`, {
    method: operation.method,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      ...(body === undefined ? {} : { 'content-type': typeof body === 'string' ? 'text/csv' : 'application/json' }),
      ...Object.fromEntries(of('header').map(([name, value]) => [name, `${String(value)}-${++number}`])),
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    redirect: 'manual',
  });
  return { status: answer.status, text: await answer.text() };
}

/** Requests that were not accepted, with the answer. */
const refused = (name: string, { status, text }: Outcome, allowed: number[] = []): string[] =>
  status < 400 || allowed.includes(status) ? [] : [`${name}: ${status} ${text}`];

const pathOf = (operation: ApiOperation) =>
  Object.fromEntries(
    Object.entries(operation.examples)
      .filter(([place]) => place.startsWith('path:'))
      .map(([place, [example]]) => [place, example]),
  );

/** Where the thing behind the example of a path must have a property of its own. */
const PATHS: Record<string, Kind> = { 'PATCH /emails/{id}': 'scheduled', 'POST /emails/{id}/retry': 'bounced' };

const ownPath = (operation: ApiOperation) =>
  operation.name in PATHS
    ? { 'path:id': tenant.things[PATHS[operation.name]] }
    : (asOwn(pathOf(operation), operation) as Record<string, unknown>);

describe('the examples of openapi.json are accepted', () => {
  it('as complete request bodies', async () => {
    const problems: string[] = [];
    for (const operation of TENANT_OPERATIONS.filter(({ takesBody }) => takesBody)) {
      if (operation.bodyExamples.length === 0) problems.push(`${operation.name} has no example of a body`);
      for (const { name, value } of operation.bodyExamples) {
        const outcome = await send(operation, ownPath(operation), asOwn(value, operation));
        problems.push(...refused(`${operation.name} ${name}`, outcome));
      }
    }
    expect(problems).toEqual([]);
  });

  it('in request bodies', async () => {
    const problems: string[] = [];
    let count = 0;
    for (const operation of TENANT_OPERATIONS.filter(({ body }) => body !== null)) {
      const { items } = resolved(operation.body as Schema);
      for (const { field, body } of bodiesOf(items ?? (operation.body as Schema))) {
        if (OUTSIDE.test(JSON.stringify(body))) continue;
        const own = asOwn(body, operation);
        const outcome = await send(operation, ownPath(operation), items ? [own] : own);
        problems.push(...refused(`${operation.name} ${field}`, outcome));
        count += 1;
      }
    }
    expect(problems).toEqual([]);
    expect(count).toBeGreaterThan(50);
  });

  it('in queries and headers', async () => {
    const problems: string[] = [];
    for (const operation of TENANT_OPERATIONS.filter(({ body }) => body === null))
      for (const [place, examples] of Object.entries(operation.examples))
        for (const example of place.startsWith('path:') ? [] : examples) {
          const places = { ...ownPath(operation), [place]: asOwn(example, operation) };
          problems.push(...refused(`${operation.name} ${place}`, await send(operation, places), [404]));
        }
    expect(problems).toEqual([]);
  });

  it('in paths, where a made-up id is not found and nothing worse', async () => {
    const problems: string[] = [];
    for (const operation of TENANT_OPERATIONS.filter(({ path, body }) => path.includes('{') && body === null)) {
      expect(Object.values(pathOf(operation)), operation.name).not.toContain(undefined);
      problems.push(...refused(operation.name, await send(operation, pathOf(operation)), [404]));
    }
    expect(problems).toEqual([]);
  });

  it('in the path of a suppressed address, as it is before URL encoding', async () => {
    await tenant.call('POST', '/suppressions', { email: 'user@example.net' });
    const operation = TENANT_OPERATIONS.find(({ name }) => name === 'GET /suppressions/{email}') as ApiOperation;
    expect(await send(operation, pathOf(operation))).toMatchObject({ status: 200 });
  });
});
