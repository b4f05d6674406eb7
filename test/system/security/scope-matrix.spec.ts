import { OPERATOR_SCOPES, PERMISSIONS, SCOPES, type Scope } from '#libs/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { API_OPERATIONS, type ApiOperation } from '../../support/rest/api-operations.js';
import { FACADE_OPERATIONS } from '../../support/rest/controller-routes.js';
import { openAccount, type ServiceAccount } from '../../support/services/service-client.js';

/** Written by hand, independently of the declarations in the controllers. */
const TABLE: Record<Scope, string[]> = {
  'emails.send': [
    'POST /emails',
    'POST /emails/batch',
    'PATCH /emails/{id}',
    'POST /emails/{id}/cancel',
    'POST /emails/{id}/retry',
    'DELETE /captured',
  ],
  'emails.read': [
    'GET /emails',
    'GET /emails/{id}',
    'GET /emails/{id}/events',
    'GET /emails/{id}/attempts',
    'GET /emails/{id}/explain',
    'GET /emails/{id}/attachments',
    'GET /emails/{id}/attachments/{attachmentId}',
    'GET /captured',
    'GET /captured/{id}/raw',
    'GET /events',
    'GET /events/{id}',
    'GET /queues',
  ],
  'domains.read': ['GET /domains', 'GET /domains/{id}'],
  'domains.write': [
    'POST /domains',
    'PATCH /domains/{id}',
    'DELETE /domains/{id}',
    'POST /domains/{id}/verify',
    'POST /domains/{id}/dkim/rotate',
    'DELETE /domains/{id}/dkim/rotate',
  ],
  'webhooks.read': [
    'GET /webhooks',
    'GET /webhooks/{id}',
    'GET /webhooks/{id}/events',
    'GET /webhooks/{id}/events/{eventId}',
    'GET /webhooks/{id}/events/{eventId}/attempts',
    'GET /webhooks/{id}/replays',
    'GET /webhooks/{id}/replays/{replayId}',
  ],
  'webhooks.write': [
    'POST /webhooks',
    'PATCH /webhooks/{id}',
    'DELETE /webhooks/{id}',
    'POST /webhooks/{id}/test',
    'POST /webhooks/{id}/replay',
    'POST /webhooks/{id}/replays/{replayId}/cancel',
    'POST /webhooks/{id}/signing-secret/rotate',
    'POST /webhooks/{id}/events/{eventId}/replay',
  ],
  'suppressions.read': [
    'GET /suppressions',
    'GET /suppressions/{email}',
    'GET /suppressions/export',
    'GET /erasures/{id}',
  ],
  'suppressions.write': [
    'POST /suppressions',
    'DELETE /suppressions/{email}',
    'POST /suppressions/batch/add',
    'POST /suppressions/batch/remove',
    'POST /suppressions/import',
    'POST /erasures',
  ],
  'api_keys.read': ['GET /api-keys', 'GET /api-keys/{id}', 'GET /logs', 'GET /logs/{id}'],
  'api_keys.write': ['POST /api-keys', 'PATCH /api-keys/{id}', 'DELETE /api-keys/{id}'],
  'stats.read': ['GET /domains/{id}/stats', 'GET /stats', 'GET /usage'],
  'account.read': ['GET /account', 'GET /audit-log'],
  'account.write': ['PATCH /account'],
  'operator.accounts': ['GET /operator/accounts', 'GET /operator/accounts/{id}', 'PATCH /operator/accounts/{id}'],
};
/** The same for clients of Resend, whose GET of a webhook includes its secret. */
const FACADE_TABLE: Partial<Record<Scope, string[]>> = {
  'emails.send': [
    'POST /resend/emails',
    'POST /resend/emails/batch',
    'PATCH /resend/emails/{id}',
    'POST /resend/emails/{id}/cancel',
  ],
  'emails.read': [
    'GET /resend/emails',
    'GET /resend/emails/{id}',
    'GET /resend/emails/{emailId}/attachments',
    'GET /resend/emails/{emailId}/attachments/{id}',
  ],
  'stats.read': ['GET /resend/emails/metrics', 'GET /resend/usage'],
  'suppressions.read': ['GET /resend/suppressions', 'GET /resend/suppressions/{idOrEmail}'],
  'suppressions.write': [
    'POST /resend/suppressions',
    'DELETE /resend/suppressions/{idOrEmail}',
    'POST /resend/suppressions/batch/add',
    'POST /resend/suppressions/batch/remove',
  ],
  'domains.read': ['GET /resend/domains', 'GET /resend/domains/{id}'],
  'domains.write': [
    'POST /resend/domains',
    'PATCH /resend/domains/{id}',
    'DELETE /resend/domains/{id}',
    'POST /resend/domains/{id}/verify',
  ],
  'webhooks.read': [
    'GET /resend/webhooks',
    'GET /resend/webhooks/{id}/events',
    'GET /resend/webhooks/{id}/events/{eventId}',
    'GET /resend/webhooks/{id}/events/{eventId}/attempts',
  ],
  'webhooks.write': [
    'POST /resend/webhooks',
    'GET /resend/webhooks/{id}',
    'PATCH /resend/webhooks/{id}',
    'DELETE /resend/webhooks/{id}',
    'POST /resend/webhooks/{id}/signing-secret/rotate',
    'POST /resend/webhooks/{id}/events/{eventId}/replay',
  ],
  'api_keys.read': ['GET /resend/api-keys', 'GET /resend/logs', 'GET /resend/logs/{id}'],
  'api_keys.write': ['POST /resend/api-keys', 'PATCH /resend/api-keys/{id}', 'DELETE /resend/api-keys/{id}'],
};
const PUBLIC = [
  'GET /emails/{id}/attachments/{attachmentId}/download', // its token is the key
  'GET /healthz',
  'GET /openapi.json',
  'GET /readyz',
];
/** Those that keys of every account can have. */
const OF_ACCOUNTS = SCOPES.filter((scope) => !OPERATOR_SCOPES.has(scope));
const ALIASES = ['', '/v1', '//'];

const operations = [...API_OPERATIONS, ...FACADE_OPERATIONS];
const guarded = operations.filter(({ scope }) => scope !== null);

let program: ServiceAccount;
beforeAll(async () => {
  program = await openAccount('rest');
});

/** Calls an operation with an unknown id or an empty body: a permitted key gets 404 or 400, not 403. */
function call({ method, path }: ApiOperation, key: string | null, alias = ''): Promise<Response> {
  const target = path.replaceAll(/\{\w+\}/g, 'nothing');
  const body = method === 'POST' || method === 'PATCH' ? '{}' : null;
  return fetch(program.url + alias.replace(/\/$/, '') + (alias === '//' ? '/' : '') + target, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
    body,
  });
}

async function keyWith(restriction: object): Promise<string> {
  const answer = await program.call('POST', '/api-keys', { name: 'one cell of a matrix', ...restriction });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { token: string }).token;
}

/** The statuses of Resend-compatible routes are Resend's. */
const isFacade = ({ path }: ApiOperation): boolean => path.startsWith('/resend/');

/** Operations that are forbidden for this key. */
async function refusedTo(key: string, alias = ''): Promise<string[]> {
  const refused: string[] = [];
  for (const operation of guarded) {
    const answer = await call(operation, key, alias);
    const body = await answer.text();
    const [status, error] = isFacade(operation) ? [401, 'unauthorized'] : [403, 'forbidden'];
    if (answer.status !== status) continue;
    expect([operation.name, JSON.parse(body)]).toEqual([
      operation.name,
      expect.objectContaining({ name: 'restricted_api_key', error }),
    ]);
    refused.push(operation.name);
  }
  return refused;
}

const namesWithout = (scopes: readonly string[]) =>
  guarded.filter(({ scope }) => !scopes.includes(scope as string)).map(({ name }) => name);

describe('scopes', () => {
  it('are declared as the table has them, for every operation', () => {
    const declared = Object.fromEntries(operations.map(({ name, scope }) => [name, scope]));
    const written = [...Object.entries(TABLE), ...Object.entries(FACADE_TABLE)].flatMap(([scope, names]) =>
      names.map((name) => [name, scope] as const),
    );
    expect(declared).toEqual({
      ...Object.fromEntries(PUBLIC.map((name) => [name, null])),
      ...Object.fromEntries(written),
    });
  });

  it.each(OF_ACCOUNTS)('%s opens its operations and no other', async (scope) => {
    expect(await refusedTo(await keyWith({ scopes: [scope] }))).toEqual(namesWithout([scope]));
  });

  it.each([...OPERATOR_SCOPES])('%s cannot be given to a key of another account than the first', async (scope) => {
    const answer = await program.call('POST', '/api-keys', { name: 'an attempt', scopes: [scope] });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ details: [{ field: 'scopes', code: 'exceeds_own_key' }] });
  });

  it.each(ALIASES.slice(1))('are enforced under %s as well', async (alias) => {
    expect(await refusedTo(await keyWith({ scopes: ['domains.read'] }), alias)).toEqual(namesWithout(['domains.read']));
  });

  it.each(PERMISSIONS)('%s grants the scopes of its name', async (permission) => {
    const scopes = permission === 'full_access' ? OF_ACCOUNTS : (['emails.send'] as const);
    expect(await refusedTo(await keyWith({ permission }))).toEqual(namesWithout(scopes));
  });

  it.each(ALIASES)('every operation but the public ones needs a key (%s)', async (alias) => {
    for (const operation of operations) {
      for (const key of [null, 'pl_live_wrong']) {
        const { status } = await call(operation, key, alias);
        if (operation.scope === null)
          expect([operation.name, [401, 403].includes(status)]).toEqual([operation.name, false]);
        else
          expect([operation.name, status]).toEqual([operation.name, isFacade(operation) && key !== null ? 403 : 401]);
      }
    }
  });

  it('cannot be bypassed by a method in a header', async () => {
    const key = await keyWith({ scopes: ['webhooks.read'] });
    for (const name of ['x-http-method-override', 'x-method-override', 'x-http-method']) {
      const answer = await fetch(`${program.url}/webhooks/nothing`, {
        headers: { authorization: `Bearer ${key}`, [name]: 'DELETE' },
      });
      expect(answer.status).toBe(404);
      await answer.text();
    }
  });
});
