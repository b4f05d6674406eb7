import { describe, expect, it } from 'vitest';
import { bareUuid, isId, lowestIdAt, newId, timeOfId } from './index.js';

describe('newId', () => {
  it('sorts by creation time, also within one millisecond', () => {
    const ids = Array.from({ length: 20_000 }, () => newId('em'));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is a UUIDv7 after its prefix', () => {
    const hex = newId('evt').slice(4);
    expect(hex).toMatch(/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    expect(Math.abs(parseInt(hex.slice(0, 12), 16) - Date.now())).toBeLessThan(60_000);
  });

  it('differs from ids of other kinds and from other text', () => {
    expect(isId('em', newId('em'))).toBe(true);
    expect(isId('em', newId('dom'))).toBe(false);
    expect(isId('em', 'em_xyz')).toBe(false);
    expect(isId('em', `${newId('em')}0`)).toBe(false);
  });
});

it('an id is a bare UUID for Resend clients', () => {
  expect(bareUuid('em_01978c0e5f7b7c3a9d21f0b64c1e88aa')).toBe('01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa');
  expect(bareUuid('no id')).toBe('no id');
});

it('an id contains its creation time, and a time has a lowest id', () => {
  const id = newId('dlv');
  const made = timeOfId(id);
  expect(Math.abs(made.getTime() - Date.now())).toBeLessThan(60_000);
  expect(lowestIdAt('dlv', made) <= id).toBe(true);
  expect(lowestIdAt('dlv', new Date(made.getTime() + 1)) > id).toBe(true);
  expect(isId('dlv', lowestIdAt('dlv', new Date(0)))).toBe(true);
});
