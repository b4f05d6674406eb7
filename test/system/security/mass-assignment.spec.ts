import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  TENANT_OPERATIONS,
  propertiesOf,
  resolved,
  type ApiOperation,
  type Schema,
} from '../../support/rest/api-operations.js';
import { IDOR_ROWS } from '../../support/rest/idor-rows.js';
import { requestOf } from '../../support/rest/operation-request.js';
import { sharedService } from '../../support/services/service-client.js';
import { moveIn, nobodys, type Tenant } from '../../support/rest/tenant.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

type Thing = Record<string, unknown>;

/** Fields that no client may set, whether responses show them or not. */
const INNER = { account_id: 'acc_forged', key_id: 'key_forged', plan: 'unlimited', standing: 'active', is_admin: true };
/** Fields that change with time. */
const VOLATILE = ['delivery', 'updated_at', 'last_used_at', 'last_checked_at'];

let receiver: WebhookReceiver;
let tenant: Tenant;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  tenant = await moveIn(await sharedService('rest'), 'alpha', receiver.url('/'));
});
afterAll(async () => {
  await receiver?.close();
});

const operationOf = (name: string) => TENANT_OPERATIONS.find((operation) => operation.name === name);

/** The GET operation that returns one resource of this collection. */
function readerOf({ method, path }: ApiOperation): ApiOperation | undefined {
  if (method === 'PATCH') return operationOf(`GET ${path}`);
  return TENANT_OPERATIONS.find((other) => other.method === 'GET' && /^\/\{\w+\}$/.test(other.path.replace(path, '')));
}
const creates = TENANT_OPERATIONS.filter(
  (operation) => operation.method === 'POST' && operation.body !== null && readerOf(operation) !== undefined,
);
const patches = TENANT_OPERATIONS.filter((operation) => operation.method === 'PATCH');

async function json(answer: Promise<Response>): Promise<Thing> {
  const { status, text } = await answer.then(async (one) => ({ status: one.status, text: await one.text() }));
  expect([status < 300, text]).toEqual([true, text]);
  return JSON.parse(text) as Thing;
}

function read(reader: ApiOperation, id: string): Promise<Thing> {
  return json(tenant.call('GET', reader.path.replace(/\{\w+\}/, encodeURIComponent(id))));
}

/** A different value of the same type. */
function forged(value: unknown, schema: Schema): unknown {
  const { enum: words } = resolved(schema);
  const other = words?.find((word) => word !== value && word !== null);
  if (other !== undefined) return other;
  if (typeof value === 'number') return value + 987_654_321;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return [...(value as unknown[]), 'forged'];
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return '2001-01-01T00:00:00.000Z';
  if (typeof value === 'string' && /^[a-z]+_[0-9a-f]{32}$/.test(value)) return nobodys(value);
  return 'forged';
}

/** Every field of the responses that the body does not accept, with other values, and internal fields. */
function forgery(operation: ApiOperation, reader: ApiOperation, thing: Thing): Thing {
  const mine = propertiesOf(operation.body);
  const shown = { ...propertiesOf(operation.answer), ...propertiesOf(reader.answer) };
  const fields = Object.entries(shown).filter(([name]) => !(name in mine));
  return { ...INNER, ...Object.fromEntries(fields.map(([name, schema]) => [name, forged(thing[name], schema)])) };
}

const bodyOf = ({ name }: ApiOperation): Thing => (IDOR_ROWS[name].body?.(tenant, []) ?? {}) as Thing;
const kept = (thing: Thing) => Object.fromEntries(Object.entries(thing).filter(([name]) => !VOLATILE.includes(name)));

describe('fields that only answers have', () => {
  it('are tried on every operation that creates or changes a thing', () => {
    expect(creates.map(({ name }) => name).sort()).toEqual([
      'POST /api-keys',
      'POST /domains',
      'POST /emails',
      'POST /erasures',
      'POST /suppressions',
      'POST /webhooks',
    ]);
    expect(patches.map(({ name }) => name).sort()).toEqual([
      'PATCH /account',
      'PATCH /api-keys/{id}',
      'PATCH /domains/{id}',
      'PATCH /emails/{id}',
      'PATCH /webhooks/{id}',
    ]);
  });

  it.each(creates.map((operation) => [operation.name, operation] as const))('%s ignores them', async (_, operation) => {
    const reader = readerOf(operation) as ApiOperation;
    const honest = await json(tenant.call('POST', operation.path, bodyOf(operation)));
    const pattern = { ...honest, ...(await read(reader, honest['id'] as string)) };
    const lies = forgery(operation, reader, pattern);
    const made = await json(tenant.call('POST', operation.path, { ...lies, ...bodyOf(operation) }));
    const stored = { ...made, ...(await read(reader, made['id'] as string)) };
    const believed = Object.keys(lies).filter((name) => JSON.stringify(stored[name]) === JSON.stringify(lies[name]));
    expect(believed).toEqual([]);
    expect(Object.keys(stored).sort()).toEqual(Object.keys(pattern).sort());
  });

  it.each(patches.map((operation) => [operation.name, operation] as const))('%s ignores them', async (_, operation) => {
    const reader = readerOf(operation) as ApiOperation;
    const id = tenant.things[IDOR_ROWS[operation.name].spots['path:id']];
    const before = await read(reader, id);
    const lies = forgery(operation, reader, before);
    const { path } = requestOf(operation, { 'path:id': id });
    // The fields that the operation does change keep their values.
    const honest = Object.fromEntries(Object.keys(bodyOf(operation)).map((name) => [name, before[name]]));
    await json(tenant.call('PATCH', path, { ...lies, ...honest }));
    expect(kept(await read(reader, id))).toEqual(kept(before));
  });
});
