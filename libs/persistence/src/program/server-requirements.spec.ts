import { ConfigError } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { requireServer } from './server-requirements.js';

const SERVER = {
  version: 140_023,
  shownVersion: '14.23',
  encoding: 'UTF8',
  isStandby: false,
  isReadOnly: false,
  user: 'mail',
  database: 'mail',
  schema: 'public',
  mayCreate: true,
};
const onServer = (changes: object) => requireServer(() => Promise.resolve([{ ...SERVER, ...changes }]));

describe('requireServer', () => {
  it('accepts PostgreSQL 14 and later', async () => {
    await expect(onServer({})).resolves.toBeUndefined();
    await expect(onServer({ version: 180_004, shownVersion: '18.4' })).resolves.toBeUndefined();
  });

  it.each([
    [
      { version: 130_023, shownVersion: '13.23 (Debian 13.23-1)' },
      'PostgreSQL 13.23 (Debian 13.23-1) is too old: this version needs PostgreSQL 14 or newer.',
    ],
    [
      { isStandby: true },
      'The PostgreSQL server is a standby, which accepts no writes: set DATABASE_URL to the primary.',
    ],
  ])('refuses %j', async (changes, sentence) => {
    await expect(onServer(changes)).rejects.toThrow(new ConfigError(sentence));
  });
});
