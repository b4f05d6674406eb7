import { DomainEntity, DomainKeys, SendingDomains } from '#libs/domains';
import { newId, wholeAccount } from '#libs/contracts';
import { SecretBox } from '#libs/kernel';
import { createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

const box = new SecretBox(randomBytes(32));
let db: OpenTestDatabase;
let domains: SendingDomains;
let accountId: string;
let name: string;

const newDomains = () => new SendingDomains(db.dataSource.getRepository(DomainEntity), db.database, box, db.config);
const newKeys = (secrets = box) => new DomainKeys(db.database, secrets);
async function idOf(domain: string): Promise<string> {
  return (await domains.list(wholeAccount(accountId))).find((view) => view.name === domain)?.id ?? '';
}

beforeAll(async () => {
  db = await createTestDatabase([DomainEntity]);
});
afterAll(() => db.close());
beforeEach(() => {
  domains = newDomains();
  accountId = newId('acc');
  name = `mail-${randomBytes(4).toString('hex')}.example`;
});

describe('a vouched domain', () => {
  it('is active at once, with records that are not checked', async () => {
    expect(await domains.active(accountId, name)).toBeNull();
    await domains.addVouched(accountId, ` ${name.toUpperCase()}. `);
    const id = await idOf(name);
    const domain = { id, accountId, name, status: 'active', vouched: true, envelope: 'shared' };
    const settings = { openTracking: false, clickTracking: false, canTrack: true };
    expect(await domains.active(accountId, name)).toEqual({ ...domain, ...settings });
    expect(await domains.find(wholeAccount(accountId), id)).toEqual(domain);
    const [view] = await domains.list(wholeAccount(accountId));
    expect(view).toMatchObject({ id, object: 'domain', name, status: 'active', region: 'eu' });
    expect(new Date(view.created_at).toISOString()).toBe(view.created_at);
    expect(view.records.map((r) => [r.record, r.status, r.required])).toEqual([
      ['SPF', 'vouched', true],
      ['DKIM', 'vouched', true],
      ['DMARC', 'vouched', true],
      ['DKIM', 'vouched', false],
      ['Return-Path', 'pending', false],
      ['Tracking', 'pending', false],
      ['TLS-RPT', 'pending', false],
    ]);
  });

  it('of the mail of the service is in no list, unless the operator adds it', async () => {
    const { id } = await domains.addOfService(accountId, name);
    expect(await domains.active(accountId, name)).toMatchObject({ id, status: 'active', vouched: true });
    expect(await domains.list(wholeAccount(accountId))).toEqual([]);
    expect(await domains.view(wholeAccount(accountId), id)).toMatchObject({ id, name });
    await domains.addOfService(accountId, name);
    expect(await domains.list(wholeAccount(accountId))).toEqual([]);
    await domains.addVouched(accountId, name);
    expect(await domains.list(wholeAccount(accountId))).toMatchObject([{ id, name }]);
    await domains.addOfService(accountId, name);
    expect(await domains.list(wholeAccount(accountId))).toMatchObject([{ id, name }]);
  });

  it('is one entry with one pair of keys after many concurrent additions', async () => {
    await Promise.all(Array.from({ length: 4 }, () => newDomains().addVouched(accountId, name)));
    const first = await domains.list(wholeAccount(accountId));
    expect(first).toHaveLength(1);
    await domains.addVouched(accountId, name);
    expect(await domains.list(wholeAccount(accountId))).toEqual(first);
  });

  it('is active in one account', async () => {
    const other = newId('acc');
    const both = await Promise.allSettled([
      newDomains().addVouched(accountId, name),
      newDomains().addVouched(other, name),
    ]);
    expect(both.map((r) => r.status).sort()).toEqual(['fulfilled', 'rejected']);
    const lost = both.find((r) => r.status === 'rejected') as PromiseRejectedResult;
    expect(lost.reason).toMatchObject({ code: 'conflict' });
    const owners = await Promise.all([accountId, other].map((id) => newDomains().active(id, name)));
    expect(owners.filter((owner) => owner !== null)).toHaveLength(1);
  });

  it('activates a pending entry of the account and keeps its keys', async () => {
    await domains.addVouched(accountId, name);
    const [before] = await domains.list(wholeAccount(accountId));
    await db.database.query(`UPDATE domains SET status = 'pending', vouched = false WHERE id = $1`, [before.id]);
    expect(await newDomains().active(accountId, name)).toBeNull();
    expect((await domains.list(wholeAccount(accountId)))[0].records.map((r) => r.status)).toEqual(
      Array(7).fill('pending'),
    );
    await domains.addVouched(accountId, name);
    expect(await domains.list(wholeAccount(accountId))).toEqual([before]);
  });

  it('must have a valid domain name', async () => {
    for (const bad of ['localhost', 'a b.example', 'http://a.example', ''])
      await expect(domains.addVouched(accountId, bad)).rejects.toMatchObject({ code: 'validation_error' });
  });
});

describe('the right to send', () => {
  it('applies to exactly one account and name: no parent, no child, no other spelling', async () => {
    await domains.addVouched(accountId, name);
    expect(await domains.active(newId('acc'), name)).toBeNull();
    for (const other of [`sub.${name}`, 'example', name.toUpperCase(), `${name}.`, `${name}\0`, "x' OR true --"])
      expect(await domains.active(accountId, other), other).toBeNull();
    expect(await domains.find(wholeAccount(newId('acc')), await idOf(name))).toBeNull();
  });

  it('is queried once for concurrent requests, and ends within a second', async () => {
    await domains.addVouched(accountId, name);
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now);
    const asked = vi.spyOn(db.database, 'query');
    await Promise.all(Array.from({ length: 200 }, () => domains.active(accountId, name)));
    expect(asked).toHaveBeenCalledTimes(1);
    asked.mockRestore();
    await db.database.query(`UPDATE domains SET status = 'failed' WHERE name = $1`, [name]);
    clock.mockReturnValue(now + 999);
    expect(await domains.active(accountId, name)).toBeNull();
    clock.mockRestore();
  });
});

describe('DomainKeys', () => {
  it('make signatures that the published records verify', async () => {
    await domains.addVouched(accountId, name);
    const [{ id, records }] = await domains.list(wholeAccount(accountId));
    const [rsa, ed25519] = await newKeys().signingKeys(id);
    const published = records.filter((r) => r.record === 'DKIM');
    expect([rsa, ed25519].map((key) => `${key.selector}._domainkey.${key.domain}`)).toEqual(
      published.map((r) => r.name),
    );
    expect([rsa.algorithm, ed25519.algorithm]).toEqual(['rsa-sha256', 'ed25519-sha256']);
    const data = Buffer.from('a letter');
    const [rsaPublic, edPublic] = published.map((r) => Buffer.from(r.value.split('p=')[1], 'base64'));
    const rsaKey = createPublicKey({ key: rsaPublic, format: 'der', type: 'spki' });
    expect(verify('sha256', data, rsaKey, sign('sha256', data, rsa.privateKey))).toBe(true);
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: edPublic.toString('base64url') };
    const edKey = createPublicKey({ key: jwk, format: 'jwk' });
    expect(verify(null, data, edKey, sign(null, data, ed25519.privateKey))).toBe(true);
  });

  it('are decrypted once and cached', async () => {
    await domains.addVouched(accountId, name);
    const keys = newKeys();
    const id = await idOf(name);
    const asked = vi.spyOn(db.database, 'query');
    const all = await Promise.all(Array.from({ length: 20 }, () => keys.signingKeys(id)));
    expect(new Set(all.map(([rsa]) => rsa)).size).toBe(1);
    // One query for the keys in use, one for the keys.
    expect(asked).toHaveBeenCalledTimes(2);
    asked.mockRestore();
  });

  it('cannot be decrypted in another row, for the other algorithm, or with another master key', async () => {
    const other = `other-${name}`;
    await domains.addVouched(accountId, name);
    await domains.addVouched(accountId, other);
    const [id, otherId] = [await idOf(name), await idOf(other)];
    const { rows } = await db.database.query<{ whole: string; bytes: Buffer }>(
      `SELECT k::text AS whole, private_sealed AS bytes FROM domain_keys k WHERE domain_id = $1`,
      [id],
    );
    expect(rows[0].whole).not.toContain('PRIVATE KEY');
    expect(rows[0].whole).not.toContain(Buffer.from('PRIVATE KEY').toString('hex'));
    expect(rows[0].bytes.includes('PRIVATE KEY')).toBe(false);
    await expect(newKeys(new SecretBox(randomBytes(32))).signingKeys(id)).rejects.toThrow();
    await db.database.query(
      `UPDATE domain_keys k SET private_sealed = o.private_sealed FROM domain_keys o
        WHERE k.domain_id = $1 AND o.domain_id = $2 AND k.algorithm = 'rsa' AND o.algorithm = 'rsa'`,
      [id, otherId],
    );
    await expect(newKeys().signingKeys(id)).rejects.toThrow();
    // The same holds for a whole row, which keeps its id.
    await db.database.query(`DELETE FROM domain_keys WHERE domain_id = $1 AND algorithm = 'rsa'`, [id]);
    await db.database.query(`UPDATE domain_keys SET domain_id = $1 WHERE domain_id = $2 AND algorithm = 'rsa'`, [
      id,
      otherId,
    ]);
    await expect(newKeys().signingKeys(id)).rejects.toThrow('unable to authenticate');
  });

  it('are RSA only until the optional record is verified', async () => {
    await domains.addVouched(accountId, name);
    const id = await idOf(name);
    await db.database.query('UPDATE domains SET vouched = false WHERE id = $1', [id]);
    expect((await newKeys().signingKeys(id)).map((key) => key.algorithm)).toEqual(['rsa-sha256']);
  });

  it('of a removed domain are an error, not an unsigned mail, and the error is not cached', async () => {
    const keys = newKeys();
    await expect(keys.signingKeys('dom_none')).rejects.toThrow('dom_none');
    await domains.addVouched(accountId, name);
    const id = await idOf(name);
    await db.database.query(
      `INSERT INTO domains (id, account_id, name, selector) VALUES ('dom_none', 'acc', 'x', 'x')`,
    );
    await db.database.query(`UPDATE domain_keys SET domain_id = 'dom_none' WHERE domain_id = $1`, [id]);
    // The row exists again, but its keys are sealed with the old id.
    await expect(keys.signingKeys('dom_none')).rejects.not.toThrow('there is no domain');
  });
});
