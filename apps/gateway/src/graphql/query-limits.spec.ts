import { buildSchema, getIntrospectionQuery, parse, specifiedRules, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { QUERY_LIMITS, QUERY_RULES } from './query-limits.js';

const schema = buildSchema('type Node { id: ID! next: Node list: [Node!]! } type Query { node: Node }');
const problems = (query: string) =>
  validate(schema, parse(query, { maxTokens: QUERY_LIMITS.tokens }), [...specifiedRules, ...QUERY_RULES]).map(
    (error) => error.message,
  );
const nested = (depth: number): string => (depth === 1 ? 'node { id }' : `node { ${chain(depth - 2)} }`);
const chain = (depth: number): string => (depth === 0 ? 'id' : `next { ${chain(depth - 1)} }`);

describe('query limits', () => {
  it('allow twelve levels of fields but not thirteen', () => {
    expect(problems(`{ ${nested(12)} }`)).toEqual([]);
    expect(problems(`{ ${nested(13)} }`)).toEqual([expect.stringContaining('levels of fields')]);
  });

  it('count levels through fragments, named and inline', () => {
    const query = `{ node { ...A } } fragment A on Node { next { ...B } } fragment B on Node { next { ... on Node { ${chain(10)} } } }`;
    expect(problems(query)).toEqual([expect.stringContaining('levels of fields')]);
  });

  it('terminate on a cycle of fragments', () => {
    const cycle = '{ node { ...A } } fragment A on Node { next { ...B } } fragment B on Node { next { ...A } }';
    expect(problems(cycle).join()).toContain('Cannot spread fragment');
  });

  it('measure a fragment once however often it is spread', () => {
    const fragments = Array.from(
      { length: 40 },
      (_, i) => `fragment F${i} on Node { ${i < 39 ? `...F${i + 1} ...F${i + 1}` : 'id'} }`,
    );
    expect(problems(`{ node { ...F0 } } ${fragments.join(' ')}`)).toEqual([]);
  });

  it('allow fifteen aliases but not sixteen', () => {
    const aliased = (n: number) => `{ ${Array.from({ length: n }, (_, i) => `a${i}: node { id }`).join(' ')} }`;
    expect(problems(aliased(15))).toEqual([]);
    expect(problems(aliased(16))).toEqual([expect.stringContaining('aliases')]);
  });

  it('report too many directives once', () => {
    const query = `{ node ${'@skip(if: false) '.repeat(60)} { id } }`;
    expect(problems(query).filter((message) => message.includes('directives'))).toHaveLength(1);
  });

  it('stop reading after two thousand tokens', () => {
    expect(() => problems(`{ ${'node '.repeat(2_000)} }`)).toThrow('2000 tokens');
  });

  it('accept the standard introspection query', () => {
    expect(problems(getIntrospectionQuery())).toEqual([]);
  });
});
