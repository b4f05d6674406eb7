import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { openKey, sealKey } from './sealed-key.js';

const key = randomBytes(32);

it('opens a key with its passphrase, however its accents are composed', () => {
  const sealed = sealKey(key, 'caf\u00e9 au lait');
  expect(openKey(sealed, 'cafe\u0301 au lait')).toEqual(key);
  expect(sealed.includes(key.toString('base64'))).toBe(false);
});

it('refuses another passphrase and an altered file', () => {
  const sealed = sealKey(key, 'right');
  expect(() => openKey(sealed, 'wrong')).toThrow('The passphrase does not open the master key of this backup.');
  const altered = JSON.parse(sealed.toString()) as { data: string };
  altered.data = randomBytes(32).toString('base64');
  expect(() => openKey(Buffer.from(JSON.stringify(altered)), 'right')).toThrow('does not open');
  expect(() => openKey(Buffer.from('{'), 'right')).toThrow('does not open');
});
