import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Role, roleRights } from '#libs/contracts';
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

const KEY = {};
const PERSISTED_ONLY = 'This session may send persisted operations only.';
const session = (role: Role) => ({ session: { id: 'ses_1', userId: 'usr_1', role, abilities: new Set<never>() } });

describe('persisted operations', () => {
  it('are found by their id', () => {
    const persisted = persistedIn('{"usage": "{ usage { used } }"}');
    expect(persisted.queryOf({ documentId: 'usage' }, KEY)).toBe('{ usage { used } }');
    expect(persisted.queryOf({ query: '', documentId: 'usage' }, KEY)).toBe('{ usage { used } }');
    expect(persisted.queryOf({ query: '{ a }' }, KEY)).toBe('{ a }');
    for (const documentId of ['other', 'constructor', 7, {}])
      expect(() => persisted.queryOf({ documentId }, KEY)).toThrow(
        'documentId must be the id of a persisted operation.',
      );
    expect(() => persisted.queryOf({ query: '{ a }', documentId: 'usage' }, KEY)).toThrow(
      'must not be given together with query',
    );
  });

  it('are all that sessions send, except those of owners', () => {
    const persisted = persistedIn('{"usage": "{ usage { used } }"}');
    for (const role of roleRights.all) {
      expect(persisted.queryOf({ documentId: 'usage' }, session(role))).toBe('{ usage { used } }');
      const send = (query: unknown) => () => persisted.queryOf({ query, documentId: null }, session(role));
      if (role === 'owner') expect(send('{ a }')()).toBe('{ a }');
      else
        for (const query of ['{ a }', '{ usage { used } }', '', undefined]) expect(send(query)).toThrow(PERSISTED_ONLY);
    }
  });

  it.each(['', '[]', '{}', '{"a": 1}', '["{ a }"]'])('do not start with a file of %j', (text) => {
    expect(() => persistedIn(text)).toThrow(ConfigError);
  });
});
