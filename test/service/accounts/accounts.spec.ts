import { AccountEntity, Accounts, ApiKeyEntity, ApiKeys } from '#libs/accounts';
import { Log, SecretBox } from '#libs/kernel';
import type { Database } from '#libs/persistence';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

const box = new SecretBox(randomBytes(32));
const invalid = expect.objectContaining({ code: 'invalid_api_key' });
const notFound = expect.objectContaining({ code: 'not_found' });
let db: OpenTestDatabase;
let accounts: Accounts;
let keys: ApiKeys;
let accountId: string;

/** As another program would have it: same database, nothing remembered. */
function newApiKeys(): ApiKeys {
  return new ApiKeys(db.dataSource.getRepository(ApiKeyEntity), db.database, box, Log.quiet());
}

function countQueries(database: Database): { readonly lookups: number; stop(): void } {
  const spy = vi.spyOn(database, 'query');
  return {
    get lookups() {
      return spy.mock.calls.filter(([q]) => typeof q !== 'string' && q.name === 'api-keys-by-fingerprint').length;
    },
    stop: () => spy.mockRestore(),
  };
}

/** The clock by which answers are remembered; it stands still until `pass`. */
function standingClock(): { pass: (ms: number) => void } {
  const start = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(start);
  return { pass: (ms) => clock.mockReturnValue(start + ms) };
}

beforeAll(async () => {
  db = await createTestDatabase([AccountEntity, ApiKeyEntity]);
  accounts = new Accounts(db.dataSource.getRepository(AccountEntity), db.database, box, db.config);
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(() => db.close());
beforeEach(async () => {
  keys = newApiKeys();
  accountId = (await accounts.create({ name: 'Letters Ltd', plan: 'free' })).id;
});

describe('Accounts', () => {
  it('are made, found, counted, and listed from the newest', async () => {
    const before = await accounts.count();
    const { id } = await accounts.create({ name: 'Second', plan: '5000' });
    expect(await accounts.count()).toBe(before + 1);
    expect(await accounts.find(id)).toMatchObject({ id, name: 'Second', plan: '5000', standing: 'active' });
    expect((await accounts.list()).slice(0, 2).map((a) => a.id)).toEqual([id, accountId]);
    expect((await accounts.first())?.id).toBe((await accounts.list()).at(-1)?.id);
    expect(await accounts.find('acc_none')).toBeNull();
  });

  it('change their plan and standing, and an unknown one is not found', async () => {
    await accounts.setPlan(accountId, 'unlimited');
    await accounts.setStanding(accountId, 'overdue');
    expect(await accounts.find(accountId)).toMatchObject({ plan: 'unlimited', standing: 'overdue' });
    await expect(accounts.setStanding('acc_none', 'blocked')).rejects.toEqual(notFound);
    await expect(accounts.setPlan('acc_none', 'free')).rejects.toEqual(notFound);
  });
});

describe('ApiKeys', () => {
  it('let in who holds a token, with what the key may do', async () => {
    const full = await keys.create(accountId, { name: 'app' });
    const sending = await keys.create(accountId, { name: 'ci', mode: 'test', permission: 'sending_access' });
    expect(full.token).toMatch(/^pl_live_/);
    expect(await keys.authenticate(full.token)).toMatchObject({
      accountId,
      keyId: full.id,
      mode: 'live',
      permission: 'full_access',
      standing: 'active',
    });
    const principal = await keys.authenticate(sending.token);
    expect(principal).toMatchObject({ keyId: sending.id, mode: 'test', permission: 'sending_access' });
    expect([...principal.scopes]).toEqual(['emails.send']);
  });

  it('refuse what is unknown, and a broken checksum without a question to the database', async () => {
    const { token } = await keys.create(accountId, { name: 'app' });
    const broken = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
    const queries = countQueries(db.database);
    for (const junk of [broken, '', 'x'.repeat(201), 'x'.repeat(1_000_000)])
      await expect(keys.authenticate(junk)).rejects.toEqual(invalid);
    expect(queries.lookups).toBe(0);
    await expect(keys.authenticate('some-token-of-another-house')).rejects.toEqual(invalid);
    expect(queries.lookups).toBe(1);
    queries.stop();
  });

  it('store nothing from which a token could be read', async () => {
    const { token } = await keys.create(accountId, { name: 'app' });
    const { rows } = await db.database.query('SELECT k::text AS whole FROM api_keys k');
    const dump = JSON.stringify(rows);
    expect(dump).not.toContain(token);
    expect(dump).not.toContain(token.slice(12, 24));
    expect(dump).not.toContain(token.slice(24));
    expect(dump).toContain(token.slice(0, 12));
  });

  it('ask the database once for many concurrent lookups, and for unknown accounts as well', async () => {
    const { token } = await keys.create(accountId, { name: 'app' });
    const unknown = `pl_live_unknown-${randomBytes(8).toString('hex')}`;
    standingClock();
    const queries = countQueries(db.database);
    await Promise.all(Array.from({ length: 200 }, () => keys.authenticate(token)));
    await Promise.all(Array.from({ length: 50 }, () => keys.authenticate(token)));
    expect(queries.lookups).toBe(1);
    await Promise.allSettled(Array.from({ length: 200 }, () => keys.authenticate(unknown)));
    await expect(keys.authenticate(unknown)).rejects.toEqual(invalid);
    expect(queries.lookups).toBe(2);
    queries.stop();
  });

  it('put a flood of different unknown tokens into few queries', async () => {
    const { token } = await keys.create(accountId, { name: 'app' });
    const queries = countQueries(db.database);
    const flood = Promise.allSettled(Array.from({ length: 2_000 }, (_, i) => keys.authenticate(`junk-junk-junk-${i}`)));
    expect(await keys.authenticate(token)).toMatchObject({ accountId });
    expect((await flood).every((r) => r.status === 'rejected')).toBe(true);
    expect(queries.lookups).toBeLessThanOrEqual(6);
    queries.stop();
  });

  it('are refused within a second of their revocation by another program', async () => {
    const { id, token } = await keys.create(accountId, { name: 'app' });
    const clock = standingClock();
    await keys.authenticate(token);
    await newApiKeys().revoke(id);
    clock.pass(999);
    await expect(keys.authenticate(token)).rejects.toEqual(invalid);
    await newApiKeys().revoke(id);
    await expect(keys.revoke('key_none')).rejects.toEqual(notFound);
  });

  it('are refused within a second of their expiry', async () => {
    const { id, token } = await keys.create(accountId, { name: 'app' });
    const clock = standingClock();
    await keys.authenticate(token);
    await db.database.query('UPDATE api_keys SET expires_at = now() WHERE id = $1', [id]);
    clock.pass(999);
    await expect(keys.authenticate(token)).rejects.toEqual(invalid);
  });

  it('tell a new standing of their account within a second', async () => {
    const { token } = await keys.create(accountId, { name: 'app' });
    const clock = standingClock();
    for (const [i, standing] of (['blocked', 'overdue', 'active'] as const).entries()) {
      await keys.authenticate(token);
      await accounts.setStanding(accountId, standing);
      clock.pass((i + 1) * 999);
      expect((await keys.authenticate(token)).standing).toBe(standing);
    }
  });

  it('note their last use, once a minute', async () => {
    const { id, token } = await keys.create(accountId, { name: 'app' });
    const lastUse = async () =>
      (await db.dataSource.getRepository(ApiKeyEntity).findOneByOrFail({ id })).last_used_at?.getTime();
    expect(await lastUse()).toBeUndefined();
    await keys.authenticate(token);
    const first = await vi.waitFor(async () => {
      const at = await lastUse();
      expect(at).toBeDefined();
      return at;
    }, 15_000);
    await newApiKeys().authenticate(token);
    await sleep(100);
    expect(await lastUse()).toBe(first);
    await db.database.query(`UPDATE api_keys SET last_used_at = now() - interval '61 s' WHERE id = $1`, [id]);
    await newApiKeys().authenticate(token);
    await vi.waitFor(async () => expect(await lastUse()).toBeGreaterThanOrEqual(first ?? Infinity), 15_000);
  });

  it('pass a failure of the database on, and recover from it', async () => {
    const { token } = await keys.create(accountId, { name: 'app' });
    const away = vi.spyOn(db.database, 'query').mockRejectedValueOnce(new Error('connection lost'));
    await expect(keys.authenticate(token)).rejects.toThrow('connection lost');
    away.mockRestore();
    expect(await keys.authenticate(token)).toMatchObject({ accountId });
  });

  it('of an unknown account cannot be made', async () => {
    await expect(keys.create('acc_none', { name: 'app' })).rejects.toEqual(notFound);
    await expect(keys.import('acc_none', 'a-token-of-the-operator-0123', 'x')).rejects.toEqual(notFound);
  });
});

describe('an imported key', () => {
  it.each([
    ['of any form', 'operator:chosen'.replace(':', '-') + randomBytes(12).toString('hex')],
    ['of our form without our checksum', `pl_live_${'Ab3'.repeat(12)}zz`],
    ['of our form that says test', `pl_test_${'Xy9'.repeat(12)}zz`],
  ])('%s is honoured as a live key with full access', async (_form, token) => {
    await expect(keys.authenticate(token)).rejects.toEqual(invalid);
    await keys.import(accountId, token, 'bootstrap');
    await keys.import(accountId, token, 'bootstrap');
    const expected = { accountId, mode: 'live', permission: 'full_access' };
    expect(await keys.authenticate(token)).toMatchObject(expected);
    expect(await newApiKeys().authenticate(token)).toMatchObject(expected);
  });

  it('stays with the account that has it', async () => {
    await keys.import(accountId, 'one-token-for-two-accounts', 'bootstrap');
    const other = await accounts.create({ name: 'Other', plan: 'free' });
    await expect(keys.import(other.id, 'one-token-for-two-accounts', 'bootstrap')).rejects.toEqual(
      expect.objectContaining({ code: 'conflict' }),
    );
    expect(await keys.authenticate('one-token-for-two-accounts')).toMatchObject({ accountId });
  });
});
