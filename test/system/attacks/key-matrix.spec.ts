import { buildSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import { createClient } from 'graphql-ws';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { bareUuid, OPERATOR_SCOPES, SCOPES } from '#libs/contracts';
import { GRAPHQL_ROWS, graphqlRequest, OPERATOR_FIELDS, type GraphqlRow } from '../../support/rest/graphql-rows.js';
import { cellsOf, COLUMNS, expectedOutcome, inOrder, KINDS_WITH_MODE, OPERATIONS } from './key-matrix.js';
import type { Cell, Column, Outcome } from './key-matrix.js';
import { requestOf, withoutAll, type Answer } from '../../support/rest/operation-request.js';
import { madeThings, type Tenant } from '../../support/rest/tenant.js';
import { openAccount, vouch, type ServiceAccount } from '../../support/services/service-client.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

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
  const things = { ...made, account: account.id, domain: domainId };
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
  const allowed = SCOPES.filter((scope) => !OPERATOR_SCOPES.has(scope));
  for (const scope of SCOPES) without.set(scope, await keyWith({ scopes: allowed.filter((one) => one !== scope) }));
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
  // A key that is limited to one domain is disabled with it, which a process notices within a second.
  if (expected === 'missing' && status === 401) return 'missing';
  // 403, and 401 for clients of Resend, whose sender of another account is 403 `validation_error`.
  if (status === 403 || status === 401) {
    if (text.includes('"restricted_api_key"')) return 'refused';
    if (!text.includes('"validation_error"')) return String(status);
  }
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
const GROWS = /\/stats$|^\/erasures\/\{id\}$|^\/webhooks\/\{id\}$|^(\/resend)?\/webhooks\/\{id\}\/events$/;

/** Everything of a household that has an id, as its account sees it, without what requests change by themselves. */
async function stateOf(tenant: Tenant): Promise<Record<string, string>> {
  const state: Record<string, string> = {};
  for (const [operation, row] of OPERATIONS) {
    const path = operation.spots.filter((spot) => spot.startsWith('path:'));
    if (operation.method !== 'GET' || path.length === 0 || GROWS.test(operation.path)) continue;
    if (operation.scope !== null && OPERATOR_SCOPES.has(operation.scope)) continue;
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
it('every field of the GraphQL schema has a row', () => {
  const fields = [SCHEMA.getQueryType(), SCHEMA.getMutationType(), SCHEMA.getSubscriptionType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name}.${field}`),
  );
  expect([...Object.keys(GRAPHQL_ROWS), ...Object.keys(OPERATOR_FIELDS)].sort()).toEqual(fields.sort());
});

/** The cell of the REST operation that a field repeats: the same rules hold. */
function cellOf(column: Column, { operation: name, things }: GraphqlRow): Cell {
  const found = OPERATIONS.find(([operation]) => operation.name === name);
  if (found === undefined) throw new Error(`openapi.json has no operation ${name}`);
  const [operation, row] = found;
  return { column, operation, row, spots: Object.keys(things).length > 0 ? operation.spots.filter(isInPath) : [] };
}

/** Whether the call would change things of the households that later tests compare or name. */
function isNeededLater({ column, spots, operation }: Cell, { destroys }: GraphqlRow, expected: Outcome): boolean {
  const isRead = operation.method === 'GET';
  if (expected === 'allowed') return destroys === true || (!isRead && spots.length > 0 && column.startsWith('live'));
  // Without a thing that it names, a change concerns what the key itself sees.
  return destroys === true && expected === 'hidden' && spots.length === 0;
}

/** The log of an account has the addresses that its own earlier requests named. */
const graphqlMarks = (cell: Cell, side: Side): string[] =>
  marksOf(cell, side).filter((mark) => !cell.operation.path.endsWith('/events') || !mark.includes('@'));

const isInPath = (spot: string): boolean => spot.startsWith('path:');

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

/** The answer as REST would give it: null stands for 404. */
function asRest({ data, errors = [] }: GraphqlAnswer): Answer {
  const text = JSON.stringify(errors.length > 0 ? errors : data);
  if (errors.length > 0) return { status: Number(errors[0].extensions?.['statusCode'] ?? 599), text };
  return { status: Object.values(data ?? {}).includes(null) ? 404 : 200, text };
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

  it.each(COLUMNS)('over GraphQL: %s', { timeout: 120_000 }, async (column) => {
    const found: object[] = [];
    for (const [field, row] of Object.entries(GRAPHQL_ROWS)) {
      const cell = cellOf(column, row);
      const expected = expectedOutcome(cell);
      if (isNeededLater(cell, row, expected)) continue;
      const side = sideOf(cell);
      const sender = cell.spots.length === 0 ? side.target : side.asker;
      const { query, variables } = graphqlRequest(field, side.target, sender);
      const answer = asRest(await askGraphql(side.key, query, variables));
      const shown = withoutAll(
        answer.text,
        Object.keys(row.things).map((name) => String(variables[name])),
      );
      const mark =
        field.startsWith('Mutation') || expected === 'allowed'
          ? undefined
          : graphqlMarks(cell, side).find((one) => shown.includes(one));
      const outcome = outcomeOf(answer, expected, mark !== undefined);
      count(`${column}, GraphQL`, outcome);
      if (outcome !== expected) found.push({ field, expected, outcome, mark, answer: answer.text });
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
