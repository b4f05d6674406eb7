import { describe, expect } from 'vitest';
import { newId } from '#libs/contracts';
import { TENANT_OPERATIONS, type ApiOperation } from '../../support/rest/api-operations.js';
import { FACADE_OPERATIONS } from '../../support/rest/controller-routes.js';
import { gatewayTest } from '../../support/fixtures/gateway-tests.js';

/** Encoded values for which no route has a use. */
const HOSTILE = [
  '%00',
  'a%00b',
  '%0d%0aX-Injected:%201',
  '%7f',
  '%ed%a0%80',
  '%27%20OR%20%271',
  '__proto__',
  'x'.repeat(1_000),
];
/** Names of a parameter that parsers of query strings make lists and objects of. */
const SPELLINGS = ['[]', '[0]', '[a][b]', '[__proto__]', '[constructor][prototype]'];
/** Parameters of lists that `openapi.json` does not describe for the Resend-compatible routes. */
const FACADE_QUERY = ['limit', 'after', 'to'];

interface Answer {
  status: number;
  name?: string;
  details?: { field: string }[];
}
let key: string;
const it = gatewayTest.extend(
  'ask',
  ({ gateway }) =>
    async (operation: ApiOperation, target: string): Promise<Answer> => {
      const { method, path } = operation;
      const type = path.endsWith('/import') ? 'text/csv' : 'application/json';
      const answer = await fetch(gateway.url + target, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(method === 'GET' ? {} : { 'content-type': type }) },
        ...(method === 'GET' ? {} : { body: '{}' }),
      });
      const text = await answer.text();
      const isError = answer.status >= 400 && answer.headers.get('content-type')?.includes('json');
      return { status: answer.status, ...(isError ? (JSON.parse(text) as object) : {}) };
    },
);

it.beforeAll(async ({ gateway }) => {
  ({ key } = await gateway.account());
});
/** The path with valid values of other parameters than the one that is tested. */
const pathOf = ({ path }: ApiOperation, values: Record<string, string> = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? newId('em'));

/** Resend answers 422 to invalid values. */
const invalidStatus = ({ path }: ApiOperation): number => (path.startsWith('/resend/') ? 422 : 400);
const pathParameters = ({ path }: ApiOperation): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

describe.each([
  ['the operations of openapi.json', TENANT_OPERATIONS],
  ['the Resend-compatible operations', FACADE_OPERATIONS],
])('%s', (_what, operations) => {
  it('refuse a control character in a path and name the parameter, and answer no value with 500', async ({ ask }) => {
    const wrong: unknown[] = [];
    for (const operation of operations)
      for (const name of pathParameters(operation))
        for (const value of HOSTILE) {
          const { status, details } = await ask(operation, pathOf(operation, { [name]: value }));
          const isRefused = /%0|%7f/.test(value)
            ? status === invalidStatus(operation) && details?.[0]?.field === name
            : status < 500;
          if (!isRefused) wrong.push([operation.name, value, status, details]);
        }
    expect(wrong).toEqual([]);
  });

  it('refuse U+0000 in a query, and answer no value of any parameter with 500', async ({ ask }) => {
    const wrong: unknown[] = [];
    for (const operation of operations)
      for (const name of [...queryOf(operation), 'unknown']) {
        for (const value of ['%00', 'a%00b', '%ed%a0%80', '__proto__']) {
          const { status } = await ask(operation, `${pathOf(operation)}?${name}=${value}`);
          if (value.includes('%00') ? status !== invalidStatus(operation) : status >= 500)
            wrong.push([operation.name, name, value, status]);
        }
        const inName = await ask(operation, `${pathOf(operation)}?${name}%00=x`);
        if (inName.status !== invalidStatus(operation)) wrong.push([operation.name, `${name}%00`, inName.status]);
      }
    expect(wrong).toEqual([]);
  });

  it('answer a parameter that is given as a list or an object with 400 that names it', async ({ ask }) => {
    const wrong: unknown[] = [];
    for (const operation of operations)
      for (const name of queryOf(operation)) {
        const isMap = name === 'tags';
        // Of the Resend-compatible routes it is not known which of the parameters they have.
        const spellings = SPELLINGS.map((suffix) => `${name}${suffix}=x`);
        // Two tokens of a link are not a valid one, which is answered 404 whatever is wrong with it.
        if (name !== 'token') spellings.push(`${name}=x&${name}=x`);
        for (const query of spellings) {
          const { status, details = [] } = await ask(operation, `${pathOf(operation)}?${query}`);
          const names = details.some(({ field }) => field === name || field.startsWith(`${name}.`));
          if (isMap || operation.path.startsWith('/resend/') ? status >= 500 : status !== 400 || !names)
            wrong.push([operation.name, query, status, details]);
        }
      }
    expect(wrong).toEqual([]);
  });
});

describe('GraphQL', () => {
  it.for([
    'query ($v: ID!) { email(id: $v) { id } }',
    'query ($v: ID!) { domainStats(domainId: $v) { accepted } }',
    'query ($v: DateTime) { domainStats(domainId: "dom_1", from: $v) { accepted } }',
  ])('answers no variable with an internal error: %s', async (query, { gateway }) => {
    for (const v of ['\0', 'a\0b', '\ud800', '', 'x'.repeat(10_000), [], {}, 1e308, true, null]) {
      const { status, body } = await gateway.agent(key).post('/graphql').send({ query, variables: { v } });
      expect(status, JSON.stringify(v)).toBeLessThan(500);
      expect(JSON.stringify(body)).not.toContain('internal');
    }
  });
});

function queryOf(operation: ApiOperation): string[] {
  return operation.query.length > 0 || !operation.path.startsWith('/resend/') ? operation.query : FACADE_QUERY;
}
