import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from '#libs/kernel';
import { afterAll, describe, expect, it } from 'vitest';
import { PersistedOperations } from './persisted-operations.js';

const folder = mkdtempSync(join(tmpdir(), 'persisted-'));
afterAll(() => rmSync(folder, { recursive: true }));

function persistedIn(text: string): PersistedOperations {
  const file = join(folder, 'operations.json');
  writeFileSync(file, text);
  return new PersistedOperations(loadConfig('cli', { GRAPHQL_PERSISTED_OPERATIONS: file }));
}

describe('persisted operations', () => {
  it('are found by their id', () => {
    const persisted = persistedIn('{"usage": "{ usage { used } }"}');
    expect(persisted.queryOf({ documentId: 'usage' })).toBe('{ usage { used } }');
    expect(persisted.queryOf({ query: '', documentId: 'usage' })).toBe('{ usage { used } }');
    expect(persisted.queryOf({ query: '{ a }' })).toBe('{ a }');
    for (const documentId of ['other', 'constructor', 7, {}])
      expect(() => persisted.queryOf({ documentId })).toThrow('documentId must be the id of a persisted operation.');
    expect(() => persisted.queryOf({ query: '{ a }', documentId: 'usage' })).toThrow(
      'must not be given together with query',
    );
  });

  it.each(['', '[]', '{}', '{"a": 1}', '["{ a }"]'])('do not start with a file of %j', (text) => {
    expect(() => persistedIn(text)).toThrow(ConfigError);
  });
});
