import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountEntity, Accounts, ApiKeyEntity, ApiKeys } from '#libs/accounts';
import { DomainEntity, SendingDomains } from '#libs/domains';
import { ConfigError, loadConfig, Log, SecretBox, type Config } from '#libs/kernel';
import { installation } from '#libs/persistence';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

const KEY = Buffer.alloc(32, 7);
const OTHER_KEY = Buffer.alloc(32, 8);
const API_KEY = 'bootstrap-key-0123456789';

describe('the master key of a database', () => {
  let db: OpenTestDatabase;
  let dataDir: string;

  beforeEach(async () => {
    db = await createTestDatabase([AccountEntity, ApiKeyEntity, DomainEntity]);
    dataDir = mkdtempSync(join(tmpdir(), 'postloft-key-'));
  });
  afterEach(async () => {
    await db.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const config = (key?: Buffer, env: Record<string, string> = {}): Config =>
    loadConfig('standalone', {
      DATA_DIR: dataDir,
      ...(key === undefined ? {} : { MASTER_KEY: key.toString('base64') }),
      ...env,
    });
  const establish = (settings: Config) => installation.establishMasterKey(db.database, settings);
  const box = new SecretBox(KEY);
  const keys = () => new ApiKeys(db.dataSource.getRepository(ApiKeyEntity), db.database, box, Log.quiet());
  const accounts = (secretBox = box) =>
    new Accounts(db.dataSource.getRepository(AccountEntity), db.database, secretBox, db.config);
  const account = async () => (await accounts().create({ name: 'Letters', plan: 'free' })).id;
  const domain = (accountId: string) =>
    new SendingDomains(db.dataSource.getRepository(DomainEntity), db.database, box, config(KEY)).addVouched(
      accountId,
      'mail.example.org',
    );
  const checks = async () => (await db.database.query('SELECT master_key_check FROM installation')).rows;
  /** As an earlier version left it. */
  const forget = () => db.database.query('DELETE FROM installation');
  const refused = (settings: Config, sentence: RegExp) =>
    Promise.all([
      expect(establish(settings)).rejects.toBeInstanceOf(ConfigError),
      expect(establish(settings)).rejects.toThrow(sentence),
    ]);

  it('is made for an empty database, and kept', async () => {
    const made = await establish(config());
    expect(existsSync(join(dataDir, 'master-key'))).toBe(true);
    expect((await establish(config())).masterKey).toEqual(made.masterKey);
    expect(await checks()).toEqual([]);
  });

  it('may still be changed while there is no data', async () => {
    await establish(config(KEY));
    expect((await establish(config(OTHER_KEY))).masterKey).toEqual(OTHER_KEY);
  });

  it('is checked from the first account on', async () => {
    await account();
    expect(await checks()).toEqual([{ master_key_check: box.keyCheck }]);
    expect((await establish(config(KEY))).masterKey).toEqual(KEY);
    await refused(config(OTHER_KEY), /^The master key is not the one with which the database was made\. Restore /);
  });

  it('is never made beside data', async () => {
    await account();
    await refused(config(), /^The master key is missing, .* Restore .*master-key from a backup, or set MASTER_KEY/);
    await forget();
    await refused(config(), /^The master key is missing/);
    expect(existsSync(join(dataDir, 'master-key'))).toBe(false);
  });

  it('is written with an account or not at all', async () => {
    await account();
    await expect(accounts(new SecretBox(OTHER_KEY)).create({ name: 'Other', plan: 'free' })).rejects.toBeInstanceOf(
      ConfigError,
    );
    expect(await accounts().count()).toBe(1);
    expect(await checks()).toEqual([{ master_key_check: box.keyCheck }]);
  });

  it('is one for accounts that are made at the same time', async () => {
    const both = [box, new SecretBox(OTHER_KEY)].map((secretBox) =>
      accounts(secretBox).create({ name: 'First', plan: 'free' }),
    );
    const outcomes = (await Promise.allSettled(both)).map(({ status }) => status);
    expect(outcomes.toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await accounts().count()).toBe(1);
  });

  describe('without a check value, as earlier versions left it,', () => {
    it('is proved by a sealed secret, and then checked', async () => {
      await domain(await account());
      await forget();
      await refused(config(OTHER_KEY), /^The master key opens no secret of the database/);
      expect(await checks()).toEqual([]);
      await establish(config(KEY));
      expect(await checks()).toEqual([{ master_key_check: box.keyCheck }]);
    });

    it('is proved by the signing secret of a webhook', async () => {
      await account();
      await forget();
      await db.database.query(
        `INSERT INTO webhooks (id, account_id, url, events, secret_sealed)
         VALUES ('wh_1', 'acc_1', 'https://example.org', '{}', $1)`,
        [box.seal('whsec_x', 'wh_1')],
      );
      await refused(config(OTHER_KEY), /opens no secret/);
      await establish(config(KEY));
      expect(await checks()).toHaveLength(1);
    });

    it('is proved by an API key that the operator shows', async () => {
      await keys().import(await account(), API_KEY, 'Bootstrap key');
      await forget();
      await refused(config(KEY), /start once with BOOTSTRAP_API_KEY set to an API key of this installation\.$/);
      await refused(config(KEY, { BOOTSTRAP_API_KEY: randomBytes(20).toString('hex') }), /opens no secret/);
      await refused(config(OTHER_KEY, { BOOTSTRAP_API_KEY: API_KEY }), /opens no secret/);
      await establish(config(KEY, { BOOTSTRAP_API_KEY: API_KEY }));
      expect(await checks()).toHaveLength(1);
    });
  });
});
