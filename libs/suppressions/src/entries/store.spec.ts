import type { Queryable } from '#libs/persistence';
import { describe, expect, it } from 'vitest';
import { suppression } from '../suppression.resource.js';
import { storeSuppressions } from './store.js';

describe('storeSuppressions', () => {
  it('writes columns of the definition only', async () => {
    const statements: string[] = [];
    const query = (statement: { text: string }) => {
      statements.push(statement.text);
      return Promise.resolve({ rows: [] });
    };
    await storeSuppressions({ query } as unknown as Queryable, []);
    const [, inserted] = /\(([^)]*)\)\s+SELECT/.exec(statements[0]) ?? [];
    const written = [
      ...inserted.split(','),
      ...[...statements[0].matchAll(/(\w+) = excluded/g)].map(([, name]) => name),
    ];
    expect(suppression.columns.split(', ')).toEqual(expect.arrayContaining(written.map((name) => name.trim())));
  });
});
