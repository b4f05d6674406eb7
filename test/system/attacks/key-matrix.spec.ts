import { buildSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import { createClient } from 'graphql-ws';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { bareUuid, SCOPES, type Scope } from '#libs/contracts';
import {
  cellsOf,
  COLUMNS,
  expectedOutcome,
  inOrder,
  KINDS_WITH_MODE,
  OPERATIONS,
} from '../../support/rest/key-matrix.js';
import type { Cell, Column, Outcome } from '../../support/rest/key-matrix.js';
import { requestOf, withoutAll, type Answer } from '../../support/rest/operation-request.js';
import { madeThings, type Tenant } from '../../support/rest/tenant.js';
import { openAccount, vouch, type ServiceAccount } from '../../support/services/service-client.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

let service: ServiceAccount;
let receiver: WebhookReceiver;
/** Things of one account: of a domain, of another domain, and test mail of a third. `stranger` has another account. */
let own: Tenant;
let foreign: Tenant;
let tested: Tenant;
let stranger: Tenant;
/** The keys that ask, by what limits them. */
let full: string;
let limited: string;
let test: string;
/** By scope: the key that has all others. */
const without = new Map<string, string>();
const counts = new Map<string, number>();
/** Ids of what earlier requests deleted. */
const gone = new Set<string>();

const callWith =
  (key: string): Tenant['call'] =>
  (method, path, body) =>
    service.call(method, path, body, {
      authorization: `Bearer ${key}`,
      ...(typeof body === 'string' ? { 'content-type': 'text/csv' } : {}),
    });

async function keyWith(restriction: object): Promise<string> {
  const answer = await service.call('POST', '/api-keys', { name: 'one column', ...restriction });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { token: string }).token;
}

/** A domain with one thing of every kind, made by a key that is limited to it. */
async function household(account: ServiceAccount, name: string, mode: 'live' | 'test'): Promise<Tenant> {
  const domain = `${name}.${account.domain}`;
  const domainId = await vouch(account, account.id, domain);
  const call: Tenant['call'] = (...request) => account.call(...request);
  const limits = { domainId, mode, as: callWith };
  const made = await madeThings(call, { name, domain, hook: receiver.url(`/${name}`), limits });
  const things = { ...made, domain: domainId };
  const marks = Object.values(things).flatMap((id) => [id, bareUuid(id)]);
  return { name, accountId: account.id, key: account.key, domain, things, call, marks };
}

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  service = await openAccount('rest');
  const other = await openAccount('rest');
  [own, foreign, tested, stranger] = await Promise.all([
    household(service, 'own', 'live'),
    household(service, 'foreign', 'live'),
    household(service, 'tested', 'test'),
    household(other, 'stranger', 'live'),
  ]);
  full = await keyWith({});
  limited = await keyWith({ domain_ids: [own.things.domain] });
  test = await keyWith({ mode: 'test' });
  for (const scope of SCOPES) without.set(scope, await keyWith({ scopes: SCOPES.filter((one) => one !== scope) }));
});
afterAll(async () => {
  await receiver?.close();
  const figures = [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
  console.log(`keys and things, ${[...counts.values()].reduce((a, b) => a + b, 0)} requests: ${figures}`);
});

interface Side {
  key: string;
  /** Whose things are named, and whose are used at the places that a cell does not name. */
  target: Tenant;
  asker: Tenant;
  /** What the answer must not show. */
  marks: string[];
}

const ofMode = ({ things }: Tenant): string[] =>
  KINDS_WITH_MODE.map((kind) => things[kind]).flatMap((id) => [id, bareUuid(id)]);

function sideOf({ column, operation }: Pick<Cell, 'column' | 'operation'>): Side {
  const whole = { key: full, asker: own };
  switch (column) {
    case 'other account':
      return { key: stranger.key, target: own, asker: stranger, marks: [...own.marks, ...tested.marks] };
    case 'narrowed scope':
      return { ...whole, key: without.get(String(operation.scope)) ?? '', target: own, marks: own.marks };
    case 'limited key, other domain':
      return { key: limited, target: foreign, asker: own, marks: foreign.marks };
    case 'limited key, own domain':
      return { key: limited, target: own, asker: own, marks: [...foreign.marks, ...tested.marks] };
    case 'test key, live thing':
      return { key: test, target: foreign, asker: tested, marks: ofMode(foreign) };
    case 'test key, test thing':
      return { key: test, target: tested, asker: tested, marks: [...ofMode(own), ...ofMode(foreign)] };
    case 'live key, live thing':
      return { ...whole, target: foreign, asker: foreign, marks: [] };
    case 'live key, test thing':
      return { ...whole, target: tested, asker: tested, marks: [] };
  }
}

async function send(cell: Cell, { key, target, asker }: Side): Promise<Answer & { sent: string[]; path: string[] }> {
  const { operation, row, spots } = cell;
  const isFacade = operation.path.startsWith('/resend');
  const idOf = (tenant: Tenant, spot: string) => {
    const id = tenant.things[row.spots[spot]];
    return isFacade ? bareUuid(id) : id;
  };
  const path = operation.spots.filter((spot) => spot.startsWith('path:'));
  const named = { ...Object.fromEntries(path.map((spot) => [spot, idOf(asker, spot)])) };
  for (const spot of spots) named[spot] = idOf(target, spot);
  const body = row.body?.(spots.length === 0 ? target : asker, spots);
  const request = requestOf(operation, named, body);
  const answer = await callWith(key)(request.method, request.path, request.body);
  return {
    status: answer.status,
    text: await answer.text(),
    sent: Object.values(named),
    path: path.map((spot) => named[spot]),
  };
}

/** What became of a request, and whether the answer shows what it must not. */
function outcomeOf({ status, text }: Answer, expected: Outcome, shows: boolean): string {
  if (status >= 500) return `${status}`;
  if (shows) return 'shown';
  if (status === 403) return text.includes('"restricted_api_key"') ? 'refused' : '403';
  if (status === 401) return '401';
  if (expected === 'hidden') return 'hidden';
  return status === 404 ? 'missing' : 'allowed';
}

/** Keys are visible to all keys of the account, and the request log repeats the ids that its own requests named. */
function marksOf({ column, operation: { path } }: Cell, { target, marks }: Side): string[] {
  if (path.endsWith('/api-keys') && column !== 'other account') return [];
  if (!path.endsWith('/logs')) return marks;
  const { log } = (column === 'limited key, own domain' ? foreign : target).things;
  return [log, bareUuid(log)].filter((id) => marks.includes(id)).map((id) => `"id":"${id}"`);
}

function markDeleted({ operation, row, spots }: Cell, { asker, target }: Side): void {
  if (operation.method !== 'DELETE' || /[^}]$/.test(operation.path.replace('/captured', '}'))) return;
  const ids = operation.spots
    .filter((spot) => spot.startsWith('path:'))
    .map((spot) => (spots.includes(spot) ? target : asker).things[row.spots[spot]]);
  if (operation.path === '/captured') ids.push(asker.things.captured);
  for (const id of ids) gone.add(id).add(bareUuid(id));
}

/** One test per operation would be a thousand; the message of a failure has all cells that differ. */
async function differences(column: Column): Promise<object[]> {
  const found: object[] = [];
  for (const cell of inOrder(cellsOf(column))) {
    const side = sideOf(cell);
    const answer = await send(cell, side);
    const expected = answer.path.some((id) => gone.has(id)) ? 'missing' : expectedOutcome(cell);
    const shown = withoutAll(answer.text, answer.sent);
    const isRead = cell.operation.method === 'GET' && expected !== 'allowed';
    const mark = cell.spots.length === 0 || isRead ? marksOf(cell, side).find((one) => shown.includes(one)) : undefined;
    const outcome = outcomeOf(answer, expected, mark !== undefined);
    count(column, outcome);
    if (answer.status < 300) markDeleted(cell, side);
    if (outcome !== expected)
      found.push({
        cell: [cell.operation.name, ...cell.spots].join(' '),
        expected,
        outcome,
        mark,
        answer: answer.text,
      });
  }
  return found;
}

/** Sending from a domain adds events to the webhooks of the domain, and to their figures. */
const GROWS = /\/stats$|^\/webhooks\/\{id\}$|^(\/resend)?\/webhooks\/\{id\}\/events$/;

/** Everything of a household that has an id, as its account sees it, without what requests change by themselves. */
async function stateOf(tenant: Tenant): Promise<Record<string, string>> {
  const state: Record<string, string> = {};
  for (const [operation, row] of OPERATIONS) {
    const path = operation.spots.filter((spot) => spot.startsWith('path:'));
    if (operation.method !== 'GET' || path.length === 0 || GROWS.test(operation.path)) continue;
    const answer = await send(
      { column: COLUMNS[0], operation, row, spots: [] },
      { key: full, target: tenant, asker: tenant, marks: [] },
    );
    expect([operation.name, answer.status]).toEqual([operation.name, 200]);
    state[operation.name] = answer.text.replaceAll(
      /"(last_used_at|last_checked_at|download_url|expires_at|request_id)":("[^"]*"|null)/g,
      '"$1":null',
    );
  }
  return state;
}

const SCHEMA = buildSchema(readFileSync(new URL('../../../schema.gql', import.meta.url), 'utf8'));
const STATS = 'domainStats(domainId: $id) { accepted }';

/** Each field of the schema, its scope and the kind of the thing that it names; null for a list. */
const GRAPHQL_FIELDS: Record<string, { query: string; scope: Scope; kind: 'domain' | 'email' | null }> = {
  'Query.domains': { query: '{ domains { id name } }', scope: 'domains.read', kind: null },
  'Query.domainStats': { query: `query ($id: ID!) { ${STATS} }`, scope: 'stats.read', kind: 'domain' },
  'Query.email': { query: 'query ($id: ID!) { email(id: $id) { id } }', scope: 'emails.read', kind: 'email' },
  'Subscription.domainStats': {
    query: `subscription ($id: ID!) { ${STATS} }`,
    scope: 'stats.read',
    kind: 'domain',
  },
};

it('every field of the GraphQL schema has a row', () => {
  const fields = [SCHEMA.getQueryType(), SCHEMA.getMutationType(), SCHEMA.getSubscriptionType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name}.${field}`),
  );
  expect(Object.keys(GRAPHQL_FIELDS).sort()).toEqual(fields.sort());
});

function expectedField(column: Column, kind: 'domain' | 'email' | null): Outcome {
  if (column === 'narrowed scope') return 'refused';
  const isElsewhere = column === 'other account' || column === 'limited key, other domain';
  if (kind === null) return 'allowed';
  return isElsewhere || (column === 'test key, live thing' && kind === 'email') ? 'missing' : 'allowed';
}

interface GraphqlAnswer {
  data?: Record<string, unknown> | null;
  errors?: readonly { extensions?: Record<string, unknown> }[];
}

/** Over WebSocket, which takes all operations; the first message of a subscription. */
async function askGraphql(key: string, query: string, variables: Record<string, unknown>): Promise<GraphqlAnswer> {
  const client = createClient({
    url: `${service.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${key}` },
    retryAttempts: 0,
  });
  try {
    for await (const answer of client.iterate({ query, variables })) return answer;
    return {};
  } finally {
    await client.dispose();
  }
}

function graphqlOutcome({ data, errors = [] }: GraphqlAnswer, marks: string[]): string {
  const [error] = errors;
  if (error) {
    const { name, code } = error.extensions ?? {};
    return name === 'restricted_api_key' ? 'refused' : code === 'not_found' ? 'missing' : String(code);
  }
  if (data?.['email'] === null) return 'missing';
  return marks.some((mark) => JSON.stringify(data).includes(mark)) ? 'shown' : 'allowed';
}

/** A message from the domain of the thing. SMTP reads nothing, and a test key may send from every domain. */
const SMTP_OUTCOMES: Partial<Record<Column, Outcome>> = {
  'other account': 'refused',
  'narrowed scope': 'refused',
  'limited key, other domain': 'refused',
  'limited key, own domain': 'allowed',
  'test key, live thing': 'allowed',
  'live key, live thing': 'allowed',
};

async function submit(key: string, from: string): Promise<Outcome> {
  const transport = createTransport({
    host: '127.0.0.1',
    port: service.ports.smtps,
    secure: true,
    tls: { rejectUnauthorized: false },
    auth: { user: 'resend', pass: key },
  });
  try {
    await transport.sendMail({ from, to: 'ada@example.com', subject: 'Hi', text: 'Hi' });
    return 'allowed';
  } catch (error) {
    expect((error as { responseCode?: number }).responseCode).toSatisfy((code: number) => code === 535 || code === 550);
    return 'refused';
  } finally {
    transport.close();
  }
}

const count = (column: string, outcome: string) =>
  counts.set(`${column}: ${outcome}`, (counts.get(`${column}: ${outcome}`) ?? 0) + 1);

describe('what a key may do with a thing', () => {
  let before: Record<string, string>;
  beforeAll(async () => {
    before = await stateOf(foreign);
  });

  it.each(['other account', 'narrowed scope', 'limited key, other domain', 'test key, live thing'] as const)(
    '%s',
    { timeout: 180_000 },
    async (column) => {
      expect(await differences(column)).toEqual([]);
      expect(await stateOf(foreign)).toEqual(before);
    },
  );

  it.each(COLUMNS)('over GraphQL: %s', async (column) => {
    const found: object[] = [];
    for (const [field, row] of Object.entries(GRAPHQL_FIELDS)) {
      const operation = { ...OPERATIONS[0][0], scope: row.scope };
      const { key, target, marks } = sideOf({ column, operation });
      const answer = await askGraphql(key, row.query, row.kind === null ? {} : { id: target.things[row.kind] });
      const outcome = graphqlOutcome(answer, marks);
      count(column, outcome);
      const expected = expectedField(column, row.kind);
      if (outcome !== expected) found.push({ field, expected, outcome, answer });
    }
    expect(found).toEqual([]);
  });

  it.each(Object.entries(SMTP_OUTCOMES))('over SMTP: %s', async (column, expected) => {
    const { key, target } = sideOf({
      column: column as Column,
      operation: { ...OPERATIONS[0][0], scope: 'emails.send' },
    });
    const outcome = await submit(key, `a@${target.domain}`);
    count(column, outcome);
    expect(outcome).toBe(expected);
  });

  it.each(['limited key, own domain', 'test key, test thing', 'live key, live thing', 'live key, test thing'] as const)(
    '%s',
    { timeout: 180_000 },
    async (column) => {
      expect(await differences(column)).toEqual([]);
      if (!column.startsWith('live')) expect(await stateOf(foreign)).toEqual(before);
    },
  );
});
