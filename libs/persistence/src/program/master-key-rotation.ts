import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, SecretBox, type Config } from '#libs/kernel';
import type { Database, Queryable } from '../connection/database.js';
import { WORKER_DEAD_AFTER_S } from '../worker.js';
import { establishMasterKey, withKnownKeys } from './master-key-check.js';
import { areKeysInFile, masterKeyFile, newMasterKey, readMasterKeys, writeMasterKeys } from './master-key.js';
import { SEALED_COLUMNS } from './sealed-columns.js';

/** How far the rotation of the master key is. */
export interface MasterKeyStatus {
  /** Check values in hex, as `--check-config` shows them, of the key in use and of the ones before it. */
  present: string;
  earlier: string[];
  /** Check value of the key that the settings want and the next rotation begins to use; null: the present one. */
  wanted: string | null;
  /** Sealed values by table and column, and how many of them are not yet sealed with the present key. */
  secrets: { name: string; count: number; remaining: number }[];
  /** API keys in force that have not been used since the key was replaced. */
  unusedApiKeys: number;
}

/** What a call of `rotateMasterKey` did. */
export type MasterKeyRotation =
  | { step: 'key_written'; file: string }
  | { step: 'rotated'; resealed: number; status: MasterKeyStatus; isInFile: boolean };

/** Characters of a check value in hex; enough to compare two by eye. */
const SHOWN_CHARACTERS = 16;
const BATCH_ROWS = 200;
/** After this time at the latest, running programs use the key that has become the present one. */
export const MASTER_KEY_POLL_MS = 2_000;

const UNUSED_API_KEYS = `
  SELECT count(*)::int AS count FROM api_keys
   WHERE master_key IS DISTINCT FROM $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;
const PROGRAMS_WITHOUT = `
  SELECT program, count(*)::int AS count FROM workers
   WHERE heartbeat_at > now() - make_interval(secs => $2) AND NOT ($1 = ANY (coalesce(master_keys, '{}')))
   GROUP BY program ORDER BY program`;
const RETIRE = `
  INSERT INTO retired_master_keys (key_check, sealed) VALUES ($1, $2)
  ON CONFLICT (key_check) DO UPDATE SET sealed = excluded.sealed, retired_at = now()`;

/**
 * Makes the wanted key (`MASTER_KEY`, or the first line of the file) the present one and seals all secrets with it. The key
 * before is kept, sealed with the new one. A call that was interrupted is continued by the next one; without a new key in
 * the settings, writes one to the file if the key is kept there.
 * @param settings as they were parsed
 * @throws ConfigError with one sentence or two when a key is missing, or a running program does not know the new one
 */
export async function rotateMasterKey(
  database: Database,
  settings: Config,
  onBatch: (resealed: number) => void = () => undefined,
): Promise<MasterKeyRotation> {
  const { masterKey, earlierMasterKeys } = await establishMasterKey(database, settings);
  const isInFile = await areKeysInFile(settings);
  const [wanted, ...previous] = await readMasterKeys(settings);
  const isWanted = wanted.equals(masterKey);
  if (isWanted && previous.length === 0 && (await isComplete(database, settings))) {
    if (!isInFile) throw new ConfigError(withoutNewKey);
    await writeMasterKeys(settings.dataDir, [newMasterKey(), wanted]);
    return { step: 'key_written', file: masterKeyFile(settings.dataDir) };
  }
  if (!isWanted) await replacePresent(database, { wanted, replaced: masterKey });
  const earlier = [masterKey, ...earlierMasterKeys].filter((key) => !key.equals(wanted));
  const box = new SecretBox(wanted, earlier);
  let resealed = await resealAll(database, box, onBatch);
  if (await arePrograms(database)) {
    // What they have sealed before they followed.
    await sleep(2 * MASTER_KEY_POLL_MS);
    resealed += await resealAll(database, box, onBatch);
  }
  if (isInFile && previous.length > 0) await writeMasterKeys(settings.dataDir, [wanted]);
  return { step: 'rotated', resealed, status: await masterKeyStatus(database, settings), isInFile };
}

/**
 * Writes nothing.
 * @param settings as they were parsed, with a key for this database
 */
export async function masterKeyStatus(database: Queryable, settings: Config): Promise<MasterKeyStatus> {
  const keys = await readMasterKeys(settings);
  const { masterKey, earlierMasterKeys } = await withKnownKeys(database, settings, keys);
  const box = new SecretBox(masterKey, earlierMasterKeys);
  const secrets: MasterKeyStatus['secrets'] = [];
  for (const column of SEALED_COLUMNS) {
    const counts = { name: `${column.table}.${column.column}`, count: 0, remaining: 0 };
    for await (const rows of batchesOf(database, column)) {
      counts.count += rows.length;
      counts.remaining += rows.filter(({ sealed, context }) => sealedAnew(box, sealed, context) !== null).length;
    }
    secrets.push(counts);
  }
  const earlier = earlierMasterKeys.filter((key) => !key.equals(keys[0]));
  const { rows } = await database.query<{ count: number }>(UNUSED_API_KEYS, [box.keyCheck]);
  return {
    present: shown(masterKey),
    earlier: earlier.map(shown),
    wanted: keys[0].equals(masterKey) ? null : shown(keys[0]),
    secrets,
    unusedApiKeys: earlier.length > 0 ? rows[0].count : 0,
  };
}

const withoutNewKey =
  'MASTER_KEY is the master key of the database already. Set MASTER_KEY to a new key (openssl rand -base64 32) and ' +
  'MASTER_KEY_PREVIOUS to this one, restart all programs, then rotate again.';

/** Before the first rotation, everything is of the present key. */
async function isComplete(database: Database, settings: Config): Promise<boolean> {
  const { earlier, secrets } = await masterKeyStatus(database, settings);
  return earlier.length === 0 || secrets.every(({ remaining }) => remaining === 0);
}

async function arePrograms(database: Database): Promise<boolean> {
  const { rows } = await database.query(
    'SELECT FROM workers WHERE heartbeat_at > now() - make_interval(secs => $1) LIMIT 1',
    [WORKER_DEAD_AFTER_S],
  );
  return rows.length > 0;
}

/** From here on, everything can be read with the wanted key alone. */
async function replacePresent(database: Database, keys: { wanted: Buffer; replaced: Buffer }): Promise<void> {
  const [wanted, replaced] = [SecretBox.checkOf(keys.wanted), SecretBox.checkOf(keys.replaced)];
  const unaware = await database.query<{ program: string; count: number }>(PROGRAMS_WITHOUT, [
    wanted,
    WORKER_DEAD_AFTER_S,
  ]);
  if (unaware.rows.length > 0) {
    const list = unaware.rows.map(({ program, count }) => `${program} (${count})`).join(', ');
    throw new ConfigError(
      `Programs run that do not know the new master key: ${list}. Restart them with MASTER_KEY and MASTER_KEY_PREVIOUS, or with the ` +
        'changed file, then rotate again.',
    );
  }
  const box = new SecretBox(keys.wanted, [keys.replaced]);
  await database.transaction(async (tx) => {
    const { rowCount } = await tx.query(
      'UPDATE installation SET master_key_check = $1 WHERE master_key_check = ANY ($2::bytea[])',
      [wanted, [replaced, wanted]],
    );
    if (rowCount !== 1) throw new ConfigError('Another command has replaced the master key in the meantime.');
    const context = `retired master key ${replaced.toString('hex')}`;
    await tx.query(RETIRE, [replaced, box.seal(keys.replaced.toString('base64'), context)]);
  });
}

async function resealAll(database: Database, box: SecretBox, onBatch: (resealed: number) => void): Promise<number> {
  let total = 0;
  for (const column of SEALED_COLUMNS)
    for await (const rows of batchesOf(database, column)) {
      const changed = rows.flatMap((row) => {
        const sealed = sealedAnew(box, row.sealed, row.context);
        return sealed === null ? [] : [{ before: row.sealed, after: sealed, keys: row.keys }];
      });
      // A row that was changed in the meantime has been sealed with a key that is known to all programs.
      await database.query(updateOf(column), [
        ...column.key.map((_, i) => changed.map(({ keys }) => keys[i])),
        changed.map(({ before }) => before),
        changed.map(({ after }) => after),
      ]);
      total += changed.length;
      onBatch(total);
    }
  return total;
}

/** Null for a secret of the present key, and for one that no known key opens, which stays as it is. */
function sealedAnew(box: SecretBox, sealed: Buffer, context: string): Buffer | null {
  try {
    return box.reseal(sealed, context);
  } catch {
    return null;
  }
}

type SealedColumn = (typeof SEALED_COLUMNS)[number];
interface SealedRow {
  keys: unknown[];
  sealed: Buffer;
  context: string;
}

async function* batchesOf(database: Queryable, column: SealedColumn): AsyncGenerator<SealedRow[]> {
  const list = column.key.join(', ');
  const values = column.key.map((_, i) => `$${i + 1}`).join(', ');
  for (let after: unknown[] | undefined; ;) {
    const { rows } = await database.query<{ sealed: Buffer; context: string } & Record<string, unknown>>(
      `SELECT ${list}, ${column.column} AS sealed, ${column.context} AS context FROM ${column.table}
        WHERE ${column.column} IS NOT NULL AND ${after === undefined ? 'true' : `(${list}) > (${values})`}
        ORDER BY ${list} LIMIT ${BATCH_ROWS}`,
      after ?? [],
    );
    if (rows.length === 0) return;
    const found = rows.map(({ sealed, context, ...keys }) => ({
      sealed,
      context,
      keys: column.key.map((name) => keys[name]),
    }));
    yield found;
    after = found.at(-1)?.keys;
  }
}

function updateOf({ table, column, key }: SealedColumn): string {
  const type = table === 'retired_master_keys' ? 'bytea[]' : 'text[]';
  const arrays = [
    ...key.map((_, i) => `$${i + 1}::${type}`),
    `$${key.length + 1}::bytea[]`,
    `$${key.length + 2}::bytea[]`,
  ];
  return `UPDATE ${table} t SET ${column} = v.sealed_after
            FROM unnest(${arrays.join(', ')}) AS v (${key.join(', ')}, sealed_before, sealed_after)
           WHERE ${key.map((name) => `t.${name} = v.${name}`).join(' AND ')} AND t.${column} = v.sealed_before`;
}

const shown = (key: Buffer): string => SecretBox.checkOf(key).toString('hex').slice(0, SHOWN_CHARACTERS);
