import { ConfigError, SecretBox, type Config } from '#libs/kernel';
import { createMasterKey, masterKeyFile, readMasterKeys } from './master-key.js';
import type { Queryable } from '../connection/database.js';
import { RETIRED_CONTEXT } from './sealed-columns.js';

/** The problem and its solution, for the operator. */
export interface MasterKeyProblem {
  message: string;
  fix: string;
}

interface SealedSecret {
  sealed: Buffer;
  /** Binds the ciphertext to its row. */
  context: string;
}

/** Secrets that are tried on a database without a check value: the newest ones, which the last good key has sealed. */
const TRIED_SECRETS = 200;

const DATA_EXISTS = `
  SELECT EXISTS (SELECT FROM accounts) OR EXISTS (SELECT FROM domain_keys) OR EXISTS (SELECT FROM webhooks) AS "exists"`;
const KEYED_DATA_EXISTS = `
  SELECT EXISTS (SELECT FROM api_keys) OR EXISTS (SELECT FROM domain_keys) OR EXISTS (SELECT FROM webhooks) AS "exists"`;
const RETIRED_KEYS = `SELECT sealed, ${RETIRED_CONTEXT} AS context FROM retired_master_keys ORDER BY retired_at DESC`;
const SEALED_SECRETS = `
  (SELECT private_sealed AS sealed, domain_id || ':' || id AS context FROM domain_keys
    ORDER BY created_at DESC LIMIT $1)
  UNION ALL
  (SELECT secret_sealed, id FROM webhooks ORDER BY created_at DESC LIMIT $1)`;

/** In a database of an earlier version accounts may exist before this row. */
const RECORD = `
  INSERT INTO installation (master_key_check, first_account_id) VALUES ($1, (SELECT min(id) FROM accounts))
  ON CONFLICT DO NOTHING`;

/**
 * The settings with the master key of this installation, which is created when the database holds no data yet.
 * @param database migrated
 * @throws ConfigError with one sentence or two when the key is lost or is not the one of this database
 */
export async function establishMasterKey(database: Queryable, config: Config): Promise<Config> {
  const keys = await readMasterKeys(config);
  const problem = await masterKeyProblem(database, { keys, config });
  if (problem !== null) throw new ConfigError(`${problem.message} ${problem.fix}`);
  const known = await withKnownKeys(database, config, keys.length > 0 ? keys : [await createMasterKey(config.dataDir)]);
  if ((await storedCheck(database)) === null && (await exists(database, DATA_EXISTS)))
    await recordMasterKey(database, new SecretBox(known.masterKey));
  return known;
}

/**
 * The settings with the key that the database has, and all others that are known. Writes nothing.
 * @param keys of `readMasterKeys`, without a problem; not empty
 */
export async function withKnownKeys(database: Queryable, config: Config, keys: readonly Buffer[]): Promise<Config> {
  const stored = await storedCheck(database);
  const present = keys.find((key) => stored?.equals(SecretBox.checkOf(key)) === true) ?? keys[0];
  const others = keys.filter((key) => !key.equals(present));
  return config.with({ MASTER_KEY: present }, await withRetired(database, present, others));
}

/** Adds the keys that rotations have replaced. They are stored under the present key, so that no setting has to keep them. */
async function withRetired(database: Queryable, present: Buffer, others: readonly Buffer[]): Promise<Buffer[]> {
  const { rows } = await database.query<{ sealed: Buffer; context: string }>(RETIRED_KEYS);
  const box = new SecretBox(present, others);
  const all = [...others, ...rows.map(({ sealed, context }) => Buffer.from(box.open(sealed, context), 'base64'))];
  return all.filter((key, i) => !key.equals(present) && all.findIndex((other) => other.equals(key)) === i);
}

/**
 * Null when one of `keys` is the key of this database, or the database holds no data: no account and no sealed secret. Writes
 * nothing. A database without a check value was made by an earlier version; its data then has to prove the key.
 * @param keys of `readMasterKeys`
 */
export async function masterKeyProblem(
  database: Queryable,
  { keys, config }: { keys: readonly Buffer[]; config: Config },
): Promise<MasterKeyProblem | null> {
  const stored = await storedCheck(database);
  if (stored === null && !(await exists(database, DATA_EXISTS))) return null;
  if (keys.length === 0) return lost(config);
  if (stored === null) return (await isProved(database, new SecretBox(keys[0]), config)) ? null : unproved(config);
  if (keys.some((key) => stored.equals(SecretBox.checkOf(key)))) return null;
  return keys.length === 1 ? different(config) : differentBoth(config);
}

/**
 * Stores the check value of the master key unless there is one. Called in the transaction of each new account, so that no
 * data exists without it.
 * @throws ConfigError when the database belongs to another master key
 */
export async function recordMasterKey(tx: Queryable, { keyCheck }: SecretBox): Promise<void> {
  await tx.query(RECORD, [keyCheck]);
  const stored = await storedCheck(tx);
  if (stored?.equals(keyCheck) !== true)
    throw new ConfigError('The master key of this program is not the one with which the database was made.');
}

/** Stores the first account of this installation; no effect if there is one. Call it after `recordMasterKey`. */
export async function recordFirstAccount(tx: Queryable, accountId: string): Promise<void> {
  await tx.query('UPDATE installation SET first_account_id = $1 WHERE first_account_id IS NULL', [accountId]);
}

/** Stores the first user of this installation; no effect if there is one. */
export async function recordFirstUser(tx: Queryable, userId: string): Promise<void> {
  await tx.query('UPDATE installation SET first_user_id = $1 WHERE first_user_id IS NULL', [userId]);
}

/** The check value that the database has now: another program may have replaced the key. Null without data. */
export async function storedCheck(database: Queryable): Promise<Buffer | null> {
  const { rows } = await database.query<{ check: Buffer }>('SELECT master_key_check AS check FROM installation');
  return rows.at(0)?.check ?? null;
}

async function exists(database: Queryable, query: string): Promise<boolean> {
  const { rows } = await database.query<{ exists: boolean }>(query);
  return rows[0].exists;
}

/** An account alone holds nothing that was made with a key, so any key is right for it. */
async function isProved(database: Queryable, secretBox: SecretBox, config: Config): Promise<boolean> {
  if (!(await exists(database, KEYED_DATA_EXISTS))) return true;
  const { rows } = await database.query<SealedSecret>(SEALED_SECRETS, [TRIED_SECRETS]);
  return rows.some((secret) => canOpen(secretBox, secret)) || (await isKnownKey(database, secretBox, config));
}

function canOpen(secretBox: SecretBox, { sealed, context }: SealedSecret): boolean {
  try {
    secretBox.open(sealed, context);
    return true;
  } catch {
    return false;
  }
}

/** API keys are stored as HMACs, so only one that the operator shows can be compared. */
async function isKnownKey(database: Queryable, secretBox: SecretBox, { settings }: Config): Promise<boolean> {
  if (settings.BOOTSTRAP_API_KEY === undefined) return false;
  const { rows } = await database.query('SELECT FROM api_keys WHERE fingerprint = $1', [
    secretBox.fingerprint(settings.BOOTSTRAP_API_KEY),
  ]);
  return rows.length > 0;
}

const restore = (config: Config): string =>
  `Restore ${masterKeyFile(config.dataDir)} from a backup, or set MASTER_KEY to the key that was used before; ` +
  'without it no API key and no stored secret of this database can be used.';

const lost = (config: Config): MasterKeyProblem => ({
  message: 'The master key is missing, and the database already holds data that was made with it.',
  fix: restore(config),
});

const different = (config: Config): MasterKeyProblem => ({
  message: 'The master key is not the one with which the database was made.',
  fix: restore(config),
});

const differentBoth = (config: Config): MasterKeyProblem => ({
  message: 'Neither the master key nor the previous one is the one of the database.',
  fix: restore(config),
});

const unproved = (config: Config): MasterKeyProblem => ({
  message: 'The master key opens no secret of the database, which was therefore made with another one.',
  fix: `${restore(config)} If the key is right, start once with BOOTSTRAP_API_KEY set to an API key of this installation.`,
});
