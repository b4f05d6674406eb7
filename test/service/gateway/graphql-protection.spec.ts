import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { buildSchema, getNamedType, isInputObjectType, type GraphQLInputType } from 'graphql';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { Database } from '#libs/persistence';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { emailFrom, GraphqlRequests, SEND_EMAIL } from '../../support/rest/graphql-requests.js';

let gateway: GatewayApp;
let strict: GatewayApp;
let folder: string;
let own: Awaited<ReturnType<GatewayApp['account']>>;
let requests: GraphqlRequests;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graphql-'));
  const file = join(folder, 'operations.json');
  writeFileSync(file, JSON.stringify({ 'sha256:1': 'query ($first: Int) { emails(first: $first) { nodes { id } } }' }));
  gateway = await startGatewayApp({ GRAPHQL_PERSISTED_OPERATIONS: file });
  strict = await startGatewayApp({
    DATABASE_URL: gateway.databaseUrl,
    GRAPHQL_INTROSPECTION: 'off',
    GRAPHQL_MAX_DEPTH: '2',
    GRAPHQL_MAX_ALIASES: '1',
    GRAPHQL_MAX_TOKENS: '30',
    GRAPHQL_MAX_COST: '100',
  });
  own = await gateway.account();
  requests = new GraphqlRequests(gateway, own.key);
});
afterAll(async () => {
  await strict?.stop();
  await gateway?.stop();
  await rm(folder, { recursive: true });
});

type Payload = Record<string, unknown>;
interface Answer {
  data?: unknown;
  errors?: readonly { message: string; extensions?: Record<string, unknown> }[];
}

async function overHttp(to: GatewayApp, payload: Payload): Promise<Answer> {
  const { body } = (await to.agent(own.key).post('/graphql').send(payload)) as { body: Answer & Payload };
  return 'statusCode' in body ? { errors: [{ message: String(body['message']), extensions: body }] } : body;
}

async function overSocket(to: GatewayApp, payload: Payload): Promise<Answer> {
  const client = createClient({
    url: `ws://127.0.0.1:${to.port}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${own.key}` },
    retryAttempts: 0,
  });
  try {
    for await (const answer of client.iterate({ query: '', ...payload })) return answer;
    return {};
  } catch (errors) {
    return { errors: errors as Answer['errors'] };
  } finally {
    await client.dispose();
  }
}

describe.each([
  ['HTTP', overHttp],
  ['WebSocket', overSocket],
])('limits over %s', (_, ask) => {
  it.each([
    ['depth', '{ emails { nodes { id } } }', 'levels of fields'],
    ['aliases', '{ a: usage { used } b: usage { used } }', 'aliases'],
    ['tokens', `{ ${'usage { used } '.repeat(10)} }`, 'tokens'],
    ['cost', '{ domains { id } usage { used } }', 'at most 100 objects'],
    ['introspection', '{ __schema { description } }', 'introspection'],
  ])('of %s are settings', async (_what, query, words) => {
    const { data, errors } = await ask(strict, { query });
    expect(data ?? null).toBeNull();
    expect(errors?.[0].message).toContain(words);
    expect((await ask(gateway, { query })).errors).toBeUndefined();
  });

  it.each([
    ['fields', `{ ${'a{'.repeat(900)}a${'}'.repeat(900)} }`],
    ['lists', `{ emails(first: ${'['.repeat(990)}${']'.repeat(990)}) { nodes { id } } }`],
    ['objects', `{ emails(first: ${'{a:'.repeat(600)}1${'}'.repeat(600)}) { nodes { id } } }`],
    ['types', `query ($a: ${'['.repeat(900)}Int${']'.repeat(900)}) { usage { used } }`],
    ['unclosed lists', `{ emails(first: ${'['.repeat(5_000)}`],
  ])('refuse deeply nested %s', async (_what, query) => {
    const { data, errors } = await ask(gateway, { query });
    expect(data ?? null).toBeNull();
    expect(errors).toMatchObject([
      { message: expect.stringContaining('nested at most') as unknown, extensions: { name: 'validation_error' } },
    ]);
  });

  it('execute persisted operations', async () => {
    expect(await ask(gateway, { documentId: 'sha256:1', variables: { first: 1 } })).toMatchObject({
      data: { emails: { nodes: [] } },
    });
    const { errors } = await ask(gateway, { documentId: 'sha256:2' });
    expect(errors).toMatchObject([{ message: 'documentId must be the id of a persisted operation.' }]);
    // The limits are those of other documents.
    expect((await ask(strict, { documentId: 'sha256:1' })).errors).toBeDefined();
  });

  it('refuse text that cannot be stored', async () => {
    for (const payload of [
      { query: '{ email(id: "\\u0000") { id } }' },
      { query: 'query ($id: ID!) { email(id: $id) { id } }', variables: { id: '\u0000' } },
      { query: 'query ($s: String!) { suppression(email: $s) { id } }', variables: { s: 'a\ud800@example.com' } },
    ]) {
      const { errors } = await ask(gateway, payload);
      expect(errors).toHaveLength(1);
      expect(JSON.stringify(errors)).not.toContain('internal_server_error');
    }
  });
});

describe('the status of a refused operation', () => {
  const statusOf = async (query: string) => (await strict.agent(own.key).post('/graphql').send({ query })).status;
  const statusOfGet = async (query: string) =>
    (await strict.agent(own.key).get('/graphql').set('apollo-require-preflight', '1').query({ query })).status;

  it.each([
    ['cost', '{ domains { id } usage { used } }'],
    ['depth', '{ emails { nodes { id } } }'],
    ['aliases', '{ a: usage { used } b: usage { used } }'],
    ['tokens', `{ ${'usage { used } '.repeat(10)} }`],
    ['introspection', '{ __schema { description } }'],
    ['text', '{ email(id: "\\u0000") { id } }'],
    ['nesting', `{ emails(first: ${'['.repeat(500)}${']'.repeat(500)}) { nodes { id } } }`],
    ['fragments', '{ ...a ...a } fragment a on Query { domains { id } }'],
  ])('is 400 for its %s', async (_what, query) => {
    expect([await statusOf(query), await statusOfGet(query)]).toEqual([400, 400]);
  });
});

describe('bodies', () => {
  it('have one operation', async () => {
    const response = await gateway
      .agent(own.key)
      .post('/graphql')
      .send([{ query: '{ usage { used } }' }]);
    expect([response.status, response.body]).toMatchObject([
      400,
      { error: 'bad_request', details: [{ code: 'invalid_type' }] },
    ]);
  });

  it('have 16 MiB, and 50 MiB for sendBatch alone', async () => {
    const html = 'x'.repeat(9_000_000);
    const emails = [1, 2, 3].map(() => emailFrom(own.domain, { html }));
    const BATCH = 'mutation ($input: SendBatchInput!) { sendBatch(input: $input) { results { id } } }';
    const { data } = await requests.ask(BATCH, { input: { emails } });
    expect(data?.['sendBatch']).toMatchObject({ results: [{}, {}, {}] });
    for (const query of [SEND_EMAIL, BATCH.replace('{ sendBatch', '{ deleteCapturedEmails { count } sendBatch')]) {
      const response = await gateway
        .agent(own.key)
        .post('/graphql')
        .send({ query, variables: { input: { emails } } });
      expect([response.status, response.body]).toMatchObject([422, { error: 'unprocessable_entity' }]);
    }
  });
});

describe('values of every shape', () => {
  const schema = buildSchema(readFileSync(new URL('../../../schema.gql', import.meta.url), 'utf8'));
  const VALUES = [
    null,
    '',
    'x',
    '\u{1f600}',
    '__proto__',
    'a'.repeat(3_000),
    0,
    -1,
    2 ** 31,
    1.5,
    1e300,
    true,
    [],
    [null],
    ['x', 7],
    {},
    { a: 1 },
    { id: [] },
    '2026-02-30T00:00:00Z',
    '9999-12-31T23:59:59Z',
    'em_00000000000000000000000000000000',
  ];

  function* shapesOf(type: GraphQLInputType, depth = 2): Generator {
    yield* VALUES;
    const named = getNamedType(type);
    if (!isInputObjectType(named) || depth === 0) return;
    const fields = Object.values(named.getFields());
    for (const value of VALUES) yield Object.fromEntries(fields.map(({ name }) => [name, value]));
    for (const field of fields) for (const value of shapesOf(field.type, depth - 1)) yield { [field.name]: value };
  }

  const roots = [schema.getQueryType(), schema.getMutationType()].flatMap((root) =>
    Object.values(root?.getFields() ?? {}).map((field) => [`${root?.name}.${field.name}`, field] as const),
  );

  it.each(roots)('are no internal error: %s', async (place, field) => {
    const kind = place.startsWith('Query') ? 'query' : 'mutation';
    const internal: unknown[] = [];
    const variants = field.args.flatMap(({ name, type }) => [
      ...new Set([...shapesOf(type)].map((value) => JSON.stringify({ [name]: value }))),
    ]);
    // A sample of the larger inputs, the same in every run.
    const step = Math.max(1, Math.floor(variants.length / 60));
    for (let i = 0; i < variants.length; i += step) {
      const variables = JSON.parse(variants[i]) as Record<string, unknown>;
      const declared = field.args.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
      const passed = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
      const { errors = [] } = await requests.ask(
        `${kind} (${declared}) { ${field.name}(${passed}) { __typename } }`,
        variables,
      );
      for (const { extensions, message } of errors)
        if (String(extensions['code']).toLowerCase() === 'internal_server_error') internal.push({ variables, message });
    }
    expect(internal).toEqual([]);
  });
});

describe('nested lists', () => {
  it('need as many statements for twenty emails as for two', async () => {
    const account = await gateway.account();
    const asked = new GraphqlRequests(gateway, account.key);
    for (let i = 0; i < 20; i++) await asked.data(SEND_EMAIL, { input: emailFrom(account.domain, { tags: [] }) });
    const LIST = `query ($first: Int) { emails(first: $first) { nodes {
      recipients { address } retryOf tracking { opens } html content { text } attachments { filename }
      events(first: 3) { nodes { id } } attempts { nodes { id } } explanation { status } domain { name } } } }`;
    const statementsOf = async (first: number): Promise<number> => {
      const database = gateway.app.get(Database);
      const statements: unknown[] = [];
      const query = database.query.bind(database);
      database.query = (...args: Parameters<typeof query>) => {
        statements.push(args[0]);
        return query(...args);
      };
      const { emails } = await asked.data(LIST, { first });
      database.query = query;
      expect(emails.nodes).toHaveLength(first);
      return statements.length;
    };
    // The gateway sends statements of its own meanwhile, so the least of several counts is that of the request.
    const least = async (first: number): Promise<number> => {
      const counts: number[] = [];
      for (let i = 0; i < 5; i++) counts.push(await statementsOf(first));
      return Math.min(...counts);
    };
    await statementsOf(1);
    const two = await least(2);
    const twenty = await least(20);
    // Contents are read four at a time.
    expect(twenty - two).toBeLessThanOrEqual(4);
    expect(two).toBeLessThanOrEqual(14);
  });
});
