import { describe, expect } from 'vitest';
import { newId } from '#libs/contracts';
import { API_OPERATIONS, resolved, type ApiOperation, type Schema } from '../../support/rest/api-operations.js';
import { type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { gatewayTest } from '../../support/fixtures/gateway-tests.js';
let account: Awaited<ReturnType<GatewayApp['account']>>;
const it = gatewayTest
  /** The status of a refusal, with the fields that it names. */
  .extend(
    'refusalOf',
    ({ gateway }) =>
      async function refusalOf({ method, path }: ApiOperation, body: unknown): Promise<unknown> {
        const answer = await fetch(gateway.url + path.replaceAll(/\{\w+\}/g, () => newId('em')), {
          method,
          headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const { details, errors } = (await answer.json()) as { details?: unknown; errors?: unknown };
        return answer.ok ? 'none' : { status: answer.status, details, errors };
      },
  );

it.beforeAll(async ({ gateway }) => {
  account = await gateway.account();
});

/** Names of fields, and `0` for the first element of a list. */
type Path = (string | 0)[];

/** A field for which null is a value of its own, such as "for ever". */
const hasNull = (schema: Schema): boolean => {
  const { type, oneOf = [], anyOf = [] } = resolved(schema);
  return [type].flat().includes('null') || [...oneOf, ...anyOf].some(hasNull);
};

/** Of all optional fields that have no null, those of objects and of objects in lists included. */
function optionalFields(schema: Schema, at: Path = []): Path[] {
  const { type, properties = {}, required = [], items, oneOf = [], anyOf = [], allOf = [] } = resolved(schema);
  const variants = [...oneOf, ...anyOf, ...allOf].flatMap((one) => optionalFields(one, at));
  const ofItems = [type].flat().includes('array') && items !== undefined ? optionalFields(items, [...at, 0]) : [];
  const own = Object.entries(properties).flatMap(([name, field]) => [
    ...(required.includes(name) || hasNull(field) ? [] : [[...at, name]]),
    ...optionalFields(field, [...at, name]),
  ]);
  return [...own, ...ofItems, ...variants];
}

/** A copy of the body in which this field has a value; objects and lists on the way are added. JSON omits `undefined`. */
function withField(body: unknown, [step, ...rest]: Path, value: null | undefined): unknown {
  if (step === 0) {
    const list = (Array.isArray(body) ? body : [{}]) as unknown[];
    return [withField(list[0], rest, value), ...list.slice(1)];
  }
  const object = (typeof body === 'object' && !Array.isArray(body) ? body : {}) as Record<string, unknown>;
  return { ...object, [step]: rest.length === 0 ? value : withField(object[step], rest, value) };
}

const nameOf = (path: Path): string =>
  path.map((step, i) => (step === 0 ? '[0]' : i === 0 ? step : `.${step}`)).join('');

const CASES = API_OPERATIONS.filter(({ body }) => body !== null).flatMap((operation) => {
  const { body, bodyExamples, name } = operation;
  const [example] = bodyExamples.filter(({ type }) => type === 'application/json');
  return optionalFields(body ?? {}).map((path) => ({ title: `${name}: ${nameOf(path)}`, operation, example, path }));
});

describe('null in an optional field is taken as absent', () => {
  it('has cases for top-level and nested fields', () => {
    const titles = CASES.map(({ title }) => title);
    expect(titles).toContain('POST /emails: cc');
    expect(titles).toContain('POST /emails: attachments[0].content_type');
    expect(titles).toContain('POST /emails/batch: [0].tracking.opens');
    expect(titles.length).toBeGreaterThan(50);
  });

  it.for(CASES)('$title', async ({ operation, example, path }, { refusalOf }) => {
    const body = example?.value ?? {};
    const omitted = await refusalOf(operation, withField(body, path, undefined));
    expect(await refusalOf(operation, withField(body, path, null))).toEqual(omitted);
  });

  it('in REST and GraphQL alike', async ({ gateway }) => {
    const email = { from: `a@${account.domain}`, to: ['b@example.org'], subject: 's', text: 'x' };
    const nulls = { html: null, cc: null, headers: null, tags: null, scheduled_at: null, tracking: null };
    const nested = { attachments: [{ filename: 'a.txt', content: 'YQ==', content_type: null, content_id: null }] };
    expect(
      (
        await gateway
          .agent(account.key)
          .post('/emails')
          .send({ ...email, ...nulls, ...nested })
      ).status,
    ).toBe(201);
    const input = { ...email, html: null, cc: null, scheduledAt: null, tracking: { opens: null, clicks: null } };
    const query = 'mutation ($input: SendEmailInput!) { sendEmail(input: $input) { id } }';
    const sent = await gateway.agent(account.key).post('/graphql').send({ query, variables: { input } });
    expect(sent.body.errors).toBeUndefined();
  });

  it('but not in a required one', async ({ gateway }) => {
    const email = { from: null, to: ['b@example.org'], subject: 's', text: 'x' };
    const answer = await gateway.agent(account.key).post('/emails').send(email);
    expect(answer.body).toMatchObject({ statusCode: 400, details: [{ field: 'from' }] });
  });
});
