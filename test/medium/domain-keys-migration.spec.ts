import { newId } from '#libs/contracts';
import { DomainEntity, DomainKeys, SendingDomains } from '#libs/domains';
import { SecretBox } from '#libs/kernel';
import { generateDkimKeys } from '#libs/mime';
import { randomBytes } from 'node:crypto';
import type { QueryRunner } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DomainKeys0011 } from '../../libs/persistence/src/migrations/0011-domain-keys.js';
import { createTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

const box = new SecretBox(randomBytes(32));
const accountId = newId('acc');

let db: OpenTestDatabase;
let runner: QueryRunner;
const migration = new DomainKeys0011();
const keysOf = (id: string) => new DomainKeys(db.database, box).signingKeys(id);

beforeAll(async () => {
  db = await createTestDatabase([DomainEntity]);
  runner = db.dataSource.createQueryRunner();
  await migration.down(runner);
});
afterAll(async () => {
  await runner?.release();
  await db?.close();
});

/** As the programs before wrote it. */
async function insertOldEntry(name: string, selector: string) {
  const id = newId('dom');
  const { rsa, ed25519 } = await generateDkimKeys();
  await db.database.query(
    `INSERT INTO domains (id, account_id, name, selector, status, vouched, rsa_private_sealed, rsa_public,
                          ed25519_private_sealed, ed25519_public)
     VALUES ($1, $2, $3, $4, 'active', true, $5, $6, $7, $8)`,
    [
      ...[id, accountId, name, selector],
      ...[box.seal(rsa.privateKeyPem, `${id}:rsa`), rsa.publicKeyBase64],
      ...[box.seal(ed25519.privateKeyPem, `${id}:ed25519`), ed25519.publicKeyBase64],
    ],
  );
  return { id, name, selector, rsa, ed25519 };
}

describe('the keys of an installation from before there were rows for them', () => {
  it('move with their selectors, open, sign, and move back', async () => {
    const entries = [
      await insertOldEntry('one.example', 'plaaaaaaaa'),
      await insertOldEntry('two.example', 'plbbbbbbbb'),
    ];
    await migration.up(runner);
    const domains = new SendingDomains(db.dataSource.getRepository(DomainEntity), db.database, box, db.config);
    for (const { id, name, selector, rsa, ed25519 } of entries) {
      const keys = await keysOf(id);
      expect(keys.map((key) => [key.domain, key.selector, key.algorithm])).toEqual([
        [name, selector, 'rsa-sha256'],
        [name, `${selector}e`, 'ed25519-sha256'],
      ]);
      expect(keys.map(({ privateKey }) => privateKey.export({ type: 'pkcs8', format: 'pem' }))).toEqual([
        rsa.privateKeyPem,
        ed25519.privateKeyPem,
      ]);
      const view = (await domains.view(accountId, id)) ?? expect.fail();
      expect(
        view.records.filter(({ record }) => record === 'DKIM').map((record) => record.value.split('p=')[1]),
      ).toEqual([rsa.publicKeyBase64, ed25519.publicKeyBase64]);
      expect(view.dkim.rotation).toBeNull();
    }
    const oldColumns = `SELECT id, selector, rsa_public, rsa_private_sealed FROM domains ORDER BY id`;
    await migration.down(runner);
    const { rows } = await db.database.query<{ id: string; selector: string; rsa_private_sealed: Buffer }>(oldColumns);
    expect(
      rows.map(({ id, selector, rsa_private_sealed: sealed }) => [selector, box.open(sealed, `${id}:rsa`)]),
    ).toEqual(entries.map(({ selector, rsa }) => [selector, rsa.privateKeyPem]));
    await migration.up(runner);
    expect(await keysOf(entries[0].id)).toHaveLength(2);
  });

  it('do not open where two of them were swapped', async () => {
    const { rows } = await db.database.query<{ id: string }>('SELECT id FROM domains ORDER BY id');
    await db.database.query(
      `UPDATE domain_keys a SET private_sealed = b.private_sealed FROM domain_keys b
        WHERE a.algorithm = 'rsa' AND b.algorithm = 'rsa' AND a.domain_id <> b.domain_id`,
    );
    for (const { id } of rows) await expect(keysOf(id)).rejects.toThrow('unable to authenticate');
  });
});
