import type { OpenAPIObject } from '@nestjs/swagger';
import { describe, expect, it } from 'vitest';
import { API_OPERATIONS } from '../../../../test/support/rest/api-operations.js';
import { RESOLVERS } from './graphql-api.module.js';
import { operationRows } from './operations-table.js';

const documentOf = (names: readonly string[]): OpenAPIObject => {
  const paths: Record<string, Record<string, object>> = {};
  for (const name of names) {
    const [method, path] = name.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: {} };
  }
  return { paths } as unknown as OpenAPIObject;
};
const ALL = API_OPERATIONS.map(({ name }) => name);

describe('the table of operations', () => {
  it('has a field or a reason for every operation', () => {
    const rows = operationRows(documentOf(ALL), RESOLVERS);
    expect(rows.map(({ operation }) => operation).sort()).toEqual([...ALL].sort());
    expect(rows.filter(({ fields, reason }) => fields.length > 0 === (reason !== undefined))).toEqual([]);
  });

  it('does not build for an operation that has neither', () => {
    expect(() => operationRows(documentOf([...ALL, 'POST /letters']), RESOLVERS)).toThrow(
      'POST /letters has no GraphQL field',
    );
    const without = RESOLVERS.filter(({ name }) => name !== 'UsageOperationsResolver');
    expect(() => operationRows(documentOf(ALL), without)).toThrow('GET /usage has no GraphQL field');
  });
});
