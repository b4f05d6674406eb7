import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountEntity, Accounts, ApiKeyEntity, ApiKeys } from '#libs/accounts';
import { ConfigError, loadConfig, Log, SecretBox } from '#libs/kernel';
import { installation } from '#libs/persistence';
import { ErasedAddresses } from '#libs/suppressions';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SEALED_COLUMNS } from '../../../libs/persistence/src/program/sealed-columns.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

const [OLD, NEW, OTHER] = [7, 8, 9].map((octet) => Buffer.alloc(32, octet));
const WEBHOOKS = 450;

/** Columns of octets that SecretBox has not sealed: contents, digests and check values. */
const NOT_SEALED = [
  ...['api_keys.fingerprint', 'api_keys.master_key', 'captured_messages.raw', 'email_contents.body'],
  ...[
    'idempotency_keys.body_hash',
    'inbound_messages.raw',
    'installation.master_key_check',
    'invitation_messages.address_hash',
  ],
  ...['invitations.token_hash', 'retired_master_keys.key_check', 'search_segments.trigrams', 'sessions.token_hash'],
  ...['tls_results.result_hash', 'user_links.token_hash', 'webhook_replays.body_hash', 'workers.master_keys'],
];

let db: OpenTestDatabase;
let dataDir: string;
beforeEach(async () => {
  db = await createTestDatabase([AccountEntity, ApiKeyEntity]);
  dataDir = mkdtempSync(join(tmpdir(), 'postloft-rotate-'));
});
afterEach(async () => {
  await db.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const settings = (key: Buffer, previous?: Buffer) =>
  loadConfig('standalone', {
    DATA_DIR: dataDir,
    MASTER_KEY: key.toString('base64'),
    ...(previous === undefined ? {} : { MASTER_KEY_PREVIOUS: previous.toString('base64') }),
  });
const establish = (...keys: Parameters<typeof settings>) =>
  installation.establishMasterKey(db.database, settings(...keys));
const apiKeys = (box: SecretBox) =>
  new ApiKeys(db.dataSource.getRepository(ApiKeyEntity), db.database, box, Log.quiet());

/** An account, an API key and webhooks, one of them with a previous secret. */
async function fill(): Promise<{ token: string; accountId: string }> {
  const box = SecretBox.of(await establish(OLD));
  const accounts = new Accounts(db.dataSource.getRepository(AccountEntity), db.database, box, db.config);
  const { id } = await accounts.create({ name: 'Letters', plan: 'free' });
  const { token } = await apiKeys(box).create(id, { name: 'First' });
  const ids = Array.from({ length: WEBHOOKS }, (_, i) => `wh_${i}`);
  await db.database.query(
    `INSERT INTO webhooks (id, account_id, url, events, secret_sealed, previous_secret_sealed)
     SELECT id, 'acc_1', 'https://example.com', '{}', sealed, previous FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS v (id, sealed, previous)`,
    [ids, ids.map((one) => box.seal(`secret of ${one}`, one)), ids.map((one) => box.seal('before', `${one} previous`))],
  );
  return { token, accountId: id };
}

async function expectSecrets(box: SecretBox): Promise<void> {
  const { rows } = await db.database.query<{ id: string; sealed: Buffer; previous: Buffer }>(
    'SELECT id, secret_sealed AS sealed, previous_secret_sealed AS previous FROM webhooks',
  );
  expect(rows).toHaveLength(WEBHOOKS);
  for (const { id, sealed, previous } of rows) {
    expect(box.open(sealed, id)).toBe(`secret of ${id}`);
    expect(box.open(previous, `${id} previous`)).toBe('before');
  }
}

it('knows every column that is sealed', async () => {
  const { rows } = await db.database.query<{ name: string }>(
    `SELECT c.relname || '.' || a.attname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND a.atttypid IN ('bytea'::regtype, 'bytea[]'::regtype) AND NOT a.attisdropped ORDER BY 1`,
  );
  const sealed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(new Set(rows.map(({ name }) => name))).toEqual(new Set([...sealed, ...NOT_SEALED]));
});

describe('a rotation of the master key', () => {
  it('encrypts all secrets anew, after which the new key alone suffices', async () => {
    await fill();
    const done = await installation.rotateMasterKey(db.database, settings(NEW, OLD));
    expect(done).toMatchObject({ step: 'rotated', resealed: 2 * WEBHOOKS, isInFile: false });
    await expectSecrets(new SecretBox(NEW));
    const status = await installation.masterKeyStatus(db.database, settings(NEW));
    expect(status).toMatchObject({ wanted: null, unusedApiKeys: 1 });
    expect(status.secrets.map(({ remaining }) => remaining)).toEqual(SEALED_COLUMNS.map(() => 0));
    await expect(establish(OLD)).rejects.toThrow('The master key is not the one with which the database was made.');
  });

  it('continues after an interruption', async () => {
    await fill();
    const interrupted = installation.rotateMasterKey(db.database, settings(NEW, OLD), (resealed) => {
      if (resealed >= 400) throw new Error('killed');
    });
    await expect(interrupted).rejects.toThrow('killed');
    // A program that starts now needs the new key only, and reads all secrets.
    const between = await establish(NEW);
    await expectSecrets(SecretBox.of(between));
    const { secrets } = await installation.masterKeyStatus(db.database, settings(NEW));
    expect(secrets.reduce((sum, { remaining }) => sum + remaining, 0)).toBe(2 * WEBHOOKS - 400);
    expect(await installation.rotateMasterKey(db.database, settings(NEW))).toMatchObject({
      resealed: 2 * WEBHOOKS - 400,
    });
    await expectSecrets(new SecretBox(NEW));
  });

  it('gives API keys their new form at the first use', async () => {
    const { token } = await fill();
    await installation.rotateMasterKey(db.database, settings(NEW, OLD));
    const config = await establish(NEW);
    await apiKeys(SecretBox.of(config)).authenticate(token);
    expect(await installation.masterKeyStatus(db.database, settings(NEW))).toMatchObject({ unusedApiKeys: 0 });
    await apiKeys(new SecretBox(NEW)).authenticate(token);
  });

  it('keeps API keys that are not used until the time that is set', async () => {
    const { token } = await fill();
    await installation.rotateMasterKey(db.database, settings(NEW, OLD));
    const late = new SecretBox(NEW, [OLD], new Date(Date.now() - 1));
    await expect(apiKeys(late).authenticate(token)).rejects.toMatchObject({ code: 'invalid_api_key' });
    await apiKeys(new SecretBox(NEW, [OLD], new Date(Date.now() + 60_000))).authenticate(token);
  });

  it('still knows erased addresses, also after a second one', async () => {
    const { accountId } = await fill();
    const erased = new ErasedAddresses(await establish(OLD)).of(accountId, 'ada@example.net');
    await installation.rotateMasterKey(db.database, settings(NEW, OLD));
    await installation.rotateMasterKey(db.database, settings(OTHER, NEW));
    expect(new ErasedAddresses(await establish(OTHER)).allOf(accountId, 'ada@example.net')).toContain(erased);
    await expectSecrets(new SecretBox(OTHER));
  });

  it('writes a new key to the file, and removes the old one at the end', async () => {
    const inFile = () => loadConfig('standalone', { DATA_DIR: dataDir });
    const file = join(dataDir, 'master-key');
    const lines = () => readFileSync(file, 'utf8').trim().split('\n');
    const use = () => installation.establishMasterKey(db.database, inFile());
    const box = SecretBox.of(await use());
    await new Accounts(db.dataSource.getRepository(AccountEntity), db.database, box, db.config).create({
      name: 'Letters',
      plan: 'free',
    });
    expect(await installation.rotateMasterKey(db.database, inFile())).toEqual({ step: 'key_written', file });
    const [wanted, before] = lines();
    expect((await use()).masterKey.toString('base64')).toBe(before);
    expect(await installation.rotateMasterKey(db.database, inFile())).toMatchObject({
      step: 'rotated',
      isInFile: true,
    });
    expect(lines()).toEqual([wanted]);
    expect((await use()).masterKey.toString('base64')).toBe(wanted);
  });

  it.each([
    [
      'without a new key',
      () => settings(OLD),
      /^MASTER_KEY is the master key of the database already\. Set MASTER_KEY to a new key/,
    ],
    [
      'with two other keys',
      () => settings(NEW, OTHER),
      /^Neither the master key nor the previous one is the one of the database\. /,
    ],
    [
      'without the previous key',
      () => settings(NEW),
      /^The master key is not the one with which the database was made\. /,
    ],
  ])('is refused %s', async (_, keys, sentence) => {
    await fill();
    const before = await db.database.query('SELECT id, secret_sealed FROM webhooks ORDER BY id');
    const refused = installation.rotateMasterKey(db.database, keys());
    await expect(refused).rejects.toThrow(sentence);
    await expect(refused).rejects.toBeInstanceOf(ConfigError);
    expect((await db.database.query('SELECT id, secret_sealed FROM webhooks ORDER BY id')).rows).toEqual(before.rows);
  });

  it('is refused while a program runs that does not know the new key', async () => {
    await fill();
    const beat = (program: string, keys: Buffer[] | null) =>
      db.database.query('INSERT INTO workers (id, program, data_dir, master_keys) VALUES ($1, $1, $1, $2)', [
        program,
        keys?.map((key) => SecretBox.checkOf(key)),
      ]);
    await beat('gateway', [OLD, NEW]);
    await beat('delivery', [OLD]);
    await beat('webhooks', null);
    await expect(installation.rotateMasterKey(db.database, settings(NEW, OLD))).rejects.toThrow(
      'Programs run that do not know the new master key: delivery (1), webhooks (1). Restart them with MASTER_KEY and ' +
        'MASTER_KEY_PREVIOUS, or with the changed file, then rotate again.',
    );
    await expectSecrets(new SecretBox(OLD));
  });
});
