import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, type Role, type Scope, roleRights } from '#libs/contracts';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_OPERATIONS } from '../../support/rest/api-operations.js';
import type { Browser, OpenSocket } from '../../support/browser/browser.js';
import { DashboardFixture } from '../../support/browser/dashboard-fixture.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { GRAPHQL_ROWS, graphqlRequest } from '../../support/rest/graphql-rows.js';
import type { Tenant } from '../../support/rest/tenant.js';

const FIELDS = Object.keys(GRAPHQL_ROWS);
const DASHBOARD = JSON.parse(
  readFileSync(new URL('../../../apps/dashboard/persisted-operations.json', import.meta.url), 'utf8'),
) as Record<string, string>;
const FREE = { query: '{ domains { name } }' };
const FREE_SUBSCRIPTION = { query: 'subscription { accountStats { accepted } }' };

/** Fields that `states.read` opens to roles without the scope. */
const STATES = new Set([
  'Query.email',
  'Query.emails',
  'Query.queues',
  'Query.suppression',
  'Query.suppressions',
  'Subscription.queues',
]);
/** Fields of an email that are content. */
const CONTENT = [
  'html',
  'text',
  'content { text }',
  'headers { name }',
  'attachments { filename }',
  'events { nodes { data } }',
];
const contentOf = (field: string) => `query ($id: ID!) { email(id: $id) { id ${field} } }`;
const STATE = `query ($id: ID!) { email(id: $id) { subject to status recipients { address status } attempts { nodes { outcome } }
  explanation { recipients { because } } } emails(filter: { to: "ada@example.com" }) { nodes { subject } } }`;
const SEARCH = '{ emails(filter: { search: "4711" }) { nodes { id } } }';

/** Nobody's things: whoever gets past the check of the role finds nothing. */
const NOBODY = {
  domain: 'nobody.example',
  things: new Proxy({}, { get: () => newId('em') }) as Tenant['things'],
} as Tenant;

interface GraphqlErrors {
  errors?: { message: string; extensions: { statusCode?: number; details?: { code: string }[] } }[];
}

let folder: string;
let gateway: GatewayApp;
let dashboard: DashboardFixture;
const browsers = {} as Record<Role, Browser>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graphql-roles-'));
  const file = join(folder, 'operations.json');
  const documents = FIELDS.map((field) => [field, graphqlRequest(field, NOBODY, NOBODY).query] as const);
  const ofContent = [...CONTENT.map((field) => [field, contentOf(field)]), ['state', STATE], ['search', SEARCH]];
  await writeFile(file, JSON.stringify(Object.fromEntries([...documents, ...ofContent])));
  gateway = await startGatewayApp({ TRUST_PROXY: '127.0.0.1', GRAPHQL_PERSISTED_OPERATIONS: file });
  dashboard = new DashboardFixture(gateway);
  const accountId = await dashboard.account();
  for (const role of roleRights.all) browsers[role] = (await dashboard.member(accountId, role)).browser;
});
afterAll(async () => {
  await gateway?.stop();
  await rm(folder, { recursive: true });
});

async function overHttp(role: Role, payload: object): Promise<GraphqlErrors> {
  const { status, body } = await browsers[role].post('/graphql', payload);
  // Refusals before the operation have the shape of REST errors.
  return status === 200 ? body : { errors: [{ message: body.message, extensions: body }] };
}

/** The first message to an operation. */
async function overSocket(role: Role, payload: object): Promise<GraphqlErrors> {
  const { socket, acknowledged } = await browsers[role].connect();
  expect(acknowledged).toBe(true);
  const first = firstMessage(socket);
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: '', ...payload } }));
  const { type, payload: answer } = await first;
  socket.terminate();
  return type === 'error' ? { errors: answer as GraphqlErrors['errors'] } : (answer as GraphqlErrors);
}

const firstMessage = (socket: OpenSocket['socket']): Promise<{ type: string; payload: unknown }> =>
  new Promise((resolve) => {
    socket.once('message', (data: Buffer) =>
      resolve(JSON.parse(data.toString()) as { type: string; payload: unknown }),
    );
  });

const codesOf = ({ errors = [] }: GraphqlErrors): string[] =>
  errors.flatMap(({ extensions }) => (extensions.details ?? []).map(({ code }) => code));

function scopeOf(field: string): Scope {
  const found = API_OPERATIONS.find(({ name }) => name === GRAPHQL_ROWS[field].operation);
  return found?.scope as Scope;
}

describe('people with a role', () => {
  it.each(roleRights.all)('use the fields of the schema by their scopes: %s', async (role) => {
    const [refused, expected] = [[] as string[], [] as string[]];
    for (const field of FIELDS) {
      const { variables } = graphqlRequest(field, NOBODY, NOBODY);
      const ask = field.startsWith('Subscription.') ? overSocket : overHttp;
      const answer = await ask(role, { documentId: field, variables });
      expect(answer.errors?.[0].extensions.statusCode ?? 200, `${role} ${field}`).toBeLessThan(500);
      if (codesOf(answer).includes('role')) refused.push(field);
      if (!roleRights.scopes[role].has(scopeOf(field)) && !STATES.has(field)) expected.push(field);
    }
    expect(refused).toEqual(expected);
    if (role === 'viewer') expect(refused).toEqual(FIELDS.filter((field) => field.startsWith('Mutation.')));
  });

  it.each(roleRights.all)('send persisted operations; others if they are owners: %s', async (role) => {
    const codes = [
      codesOf(await overHttp(role, FREE)),
      codesOf(await overSocket(role, FREE)),
      codesOf(await overSocket(role, FREE_SUBSCRIPTION)),
    ];
    expect(codes).toEqual(role === 'owner' ? [[], [], []] : [['not_persisted'], ['not_persisted'], ['not_persisted']]);
    // Apollo executes the query of a GET too.
    const preflight = { 'apollo-require-preflight': 'yes' };
    const got = await browsers[role].get(`/graphql?query=${encodeURIComponent(FREE.query)}`, { headers: preflight });
    expect(got.status).toBe(role === 'owner' ? 200 : 403);
    const [id] = Object.entries(DASHBOARD).find(([, document]) => document.startsWith('query Usage')) ?? [''];
    expect(codesOf(await overHttp(role, { documentId: id }))).toEqual([]);
    // An id of the dashboard does not let other text through.
    expect(codesOf(await overHttp(role, { ...FREE, documentId: id }))).toEqual(['exclusive']);
    expect(codesOf(await overHttp(role, { documentId: '0'.repeat(64) }))).toEqual(['unknown_document']);
  });

  it('see states without content as analysts, over GraphQL and REST', async () => {
    const mine = await gateway.account();
    const analyst = (await dashboard.member(mine.accountId, 'analyst')).browser;
    const viewer = (await dashboard.member(mine.accountId, 'viewer')).browser;
    const owner = (await dashboard.member(mine.accountId, 'owner')).browser;
    const secret = { subject: 'Your code is 4711', text: 'Code 4711', html: '<p>4711</p>' };
    const sent = await owner.post('/emails', { from: `shop@${mine.domain}`, to: 'ada@example.com', ...secret });
    const { id } = sent.body as { id: string };
    const ask = async (browser: Browser, documentId: string) =>
      (await browser.post('/graphql', { documentId, variables: { id } })).body as GraphqlErrors & {
        data?: { email: object; emails: { nodes: object[] } };
      };
    for (const field of CONTENT) {
      expect(codesOf(await ask(viewer, field)), field).toEqual([]);
      expect(codesOf(await ask(analyst, field)), field).toEqual(['role']);
    }
    const { data } = await ask(analyst, 'state');
    expect(data?.email).toMatchObject({
      subject: '',
      to: ['ada@example.com'],
      recipients: [{ address: 'ada@example.com' }],
    });
    expect(data?.emails.nodes).toEqual([expect.objectContaining({ subject: '' })]);
    expect((await ask(viewer, 'state')).data?.emails.nodes).toEqual([
      expect.objectContaining({ subject: secret.subject }),
    ]);
    expect(codesOf(await ask(analyst, 'search'))).toEqual(['role']);

    const paths = [`/emails/${id}`, `/emails/${id}/events`, `/emails/${id}/attachments`, '/captured', '/events'];
    const pages = [`/app/message/${id}`, `/app/message/${id}/source`, '/suppressions/export', '/emails?subject=Your'];
    for (const path of [...paths, ...pages]) expect((await analyst.get(path)).status, path).toBe(403);
    for (const path of ['/emails', `/emails/${id}/attempts`, `/emails/${id}/explain`, '/suppressions', '/queues']) {
      const { status, text } = await analyst.get(path);
      expect(status, path).toBe(200);
      expect(text, path).not.toContain('4711');
    }
  });

  it('send any operation with an API key', async () => {
    const { key } = await gateway.account();
    const { status, body } = await browsers.viewer.post('/graphql', FREE, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect([status, body]).toMatchObject([200, { data: { domains: [{}] } }]);
  });
});
