import { readFileSync } from 'node:fs';
import { buildSchema, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { queryCost } from './query-cost.js';

const schema = buildSchema(readFileSync(new URL('../../../../../schema.gql', import.meta.url), 'utf8'));
const cost = (query: string, variables: Record<string, unknown> = {}) =>
  queryCost({ schema, document: parse(query), operationName: undefined, variables });

describe('the cost of a query', () => {
  it('is the number of objects, by the sizes of its lists', () => {
    expect(cost('{ usage { used plan } }')).toBe(1);
    expect(cost('{ emails { nodes { id } } }')).toBe(1 + 20);
    expect(cost('{ emails(first: 3) { nodes { id subject } } }')).toBe(1 + 3);
    expect(cost('{ emails(first: 3) { edges { node { id } } pageInfo { endCursor } } }')).toBe(1 + 3 * 2 + 1);
    expect(cost('{ emails(first: 3) { nodes { events(first: 10) { nodes { id } } } } }')).toBe(1 + 3 * (1 + 1 + 10));
    expect(cost('{ webhooks { deliveries(first: 2) { nodes { id } } } }')).toBe(10 * (1 + 1 + 2));
  });

  it('takes sizes from variables and their absence, and never less than one', () => {
    const query = 'query ($n: Int) { emails(first: $n) { nodes { id } } }';
    expect([5, 0, -7, 1_000].map((n) => cost(query, { n }))).toEqual([6, 2, 2, 101]);
    expect(cost(query)).toBe(21);
    expect(cost('{ emails(last: 7, before: "x") { nodes { id } } }')).toBe(8);
  });

  it('counts fragments where they are spread, and each document once', () => {
    const fragments = Array.from(
      { length: 40 },
      (_, i) => `fragment F${i} on Query { ${i < 39 ? `...F${i + 1} ...F${i + 1}` : 'usage { used }'} }`,
    );
    expect(cost(`{ ...F38 } ${fragments.join(' ')}`)).toBe(2);
    expect(cost(`{ ...F0 } ${fragments.join(' ')}`)).toBe(2 ** 39);
    expect(
      cost('{ emails(first: 2) { ...C } } fragment C on EmailConnection { nodes { ... on Email { domain { id } } } }'),
    ).toBe(1 + 2 * 2);
  });

  it('does not count introspection', () => {
    expect(cost('{ __schema { types { fields { name } } } }')).toBe(0);
  });
});
