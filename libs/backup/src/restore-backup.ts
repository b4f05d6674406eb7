import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openContents } from '#libs/emails';
import { SecretBox, type Config, type Log } from '#libs/kernel';
import {
  Database,
  loadDatabase,
  masterKeyFile,
  migrate,
  occupiedBy,
  openDatabase,
  readMasterKeys,
  unknownSchema,
} from '#libs/persistence';
import { holdUndecided } from '#libs/queue';
import { openStore, type ObjectStore } from '#libs/storage';
import { applyJournal, type AppliedJournal } from './journal/apply-journal.js';
import { filesOf, findBackup, readFile, type Generation, type Manifest } from './manifest.js';
import { openKey } from './sealed-key.js';
import { unpackArchive } from './statistics-archive.js';

export interface RestoreOptions {
  passphrase?: string;
  /** Told in words what happens. */
  onStep: (sentence: string) => void;
  onProgress: (step: string, done: number, of: number) => void;
}

export interface Restored {
  generation: Generation;
  journal: Pick<AppliedJournal, 'events' | 'emails' | 'isCovered'>;
  held: { in_flight: number; not_covered: number };
  /** A folder with files of the statistics store; null: the backup has none. */
  statistics: string | null;
}

/** Where everything comes from. */
interface Source {
  store: ObjectStore;
  backup: Generation;
  journal: ObjectStore | null;
  masterKey: Buffer | null;
}

/**
 * Restores the backup at a place into the empty database of these settings, and applies the delivery journal of BACKUP_JOURNAL.
 * Everything is checked before anything is changed, and the database is written in one transaction.
 * @throws an error with a sentence; nothing is changed then
 */
export async function restoreBackup(
  config: Config,
  log: Log,
  { store, ...options }: RestoreOptions & { store: ObjectStore },
): Promise<Restored> {
  const source = await openSource(config, store, options);
  const { manifest } = source.backup;
  options.onStep(`Restoring the backup of ${manifest.started_at} (version ${manifest.program}).`);
  // Before a database is created; one that exists is looked at first, which is faster.
  const isNew = config.settings.DATABASE_URL === undefined && !existsSync(join(config.dataDir, 'postgres'));
  if (isNew) await checkFiles(source, options);
  const opened = await openDatabase({ config, log, entities: [] });
  try {
    const database = new Database(opened.dataSource);
    const occupied = await occupiedBy(database);
    if (occupied !== null) throw new Error(notEmpty(config, occupied));
    if (!isNew) await checkFiles(source, options);
    await migrate(opened.dataSource, { log, only: manifest.database.schema });
    await restoreContents({ config, database, log }, source, options);
    if (source.masterKey !== null) await keepMasterKey(config, source.masterKey);
    const result = await load(database, source, options);
    await migrate(opened.dataSource, { log });
    return { generation: source.backup, ...result, statistics: await unpackStatistics(config, source) };
  } finally {
    await opened.close();
    source.journal?.close();
  }
}

const notEmpty = ({ settings, dataDir }: Config, table: string): string =>
  `${settings.DATABASE_URL === undefined ? `The database in DATA_DIR (${dataDir})` : 'The database of DATABASE_URL'} holds ${table}: ` +
  'a backup is restored into an empty one only.';

async function openSource(config: Config, store: ObjectStore, options: RestoreOptions): Promise<Source> {
  const backup = await findBackup(store);
  const { manifest, folder } = backup;
  const unknown = unknownSchema(manifest.database);
  if (unknown !== null)
    throw new Error(
      `The backup was made by version ${manifest.program} (schema ${unknown}), which this version cannot read: use that version or a newer one.`,
    );
  const sealed = manifest.master_key;
  const fromBackup =
    sealed !== null && options.passphrase !== undefined
      ? openKey(await readFile(store, folder, sealed), options.passphrase)
      : null;
  const keys = await readMasterKeys(config);
  const present = keys.find((key) => isKeyOf(manifest, key)) ?? keys.at(0) ?? null;
  checkKey(manifest, present ?? fromBackup);
  const { BACKUP_JOURNAL, S3_ENDPOINT: endpoint, S3_REGION: region } = config.settings;
  const journal = BACKUP_JOURNAL === undefined ? null : await openStore(BACKUP_JOURNAL, { endpoint, region });
  return { store, backup, journal, masterKey: present === null ? fromBackup : null };
}

function checkKey({ master_key_check: check, master_key }: Manifest, key: Buffer | null): void {
  if (check === null) return;
  if (key === null)
    throw new Error(
      master_key === null
        ? 'The backup has no master key: set MASTER_KEY to the one of the installation that was backed up, or put its file master-key into DATA_DIR.'
        : 'The backup has its master key encrypted: give the passphrase with --passphrase-file or BACKUP_PASSPHRASE, or set MASTER_KEY.',
    );
  if (!isKeyOf({ master_key_check: check }, key))
    throw new Error('The master key of this installation is not the one with which the backup was made.');
}

const isKeyOf = ({ master_key_check }: Pick<Manifest, 'master_key_check'>, key: Buffer): boolean =>
  SecretBox.checkOf(key).toString('base64') === master_key_check;

/** All of them, before anything is changed. */
async function checkFiles({ store, backup }: Source, { onProgress }: RestoreOptions): Promise<void> {
  const files = filesOf(backup.manifest);
  for (const [i, file] of files.entries()) {
    await readFile(store, backup.folder, file);
    onProgress('checking', i + 1, files.length);
  }
}

/** Before their rows: a segment without rows is harmless. */
async function restoreContents(
  { config, database, log }: { config: Config; database: Database; log: Log },
  { store, backup }: Source,
  { onProgress }: RestoreOptions,
): Promise<void> {
  const { contents } = backup.manifest;
  if (contents.length === 0) return;
  const stored = await openContents(config, database, log);
  for (const [i, file] of contents.entries()) {
    await stored.restoreSegment(file.segment, await readFile(store, backup.folder, file));
    onProgress('contents', i + 1, contents.length);
  }
}

async function keepMasterKey({ dataDir, settings }: Config, key: Buffer): Promise<void> {
  if (settings.DATABASE_URL !== undefined) return;
  await mkdir(dataDir, { recursive: true });
  await writeFile(masterKeyFile(dataDir), `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
}

async function load(
  database: Database,
  { store, backup, journal }: Source,
  { onStep, onProgress }: RestoreOptions,
): Promise<Pick<Restored, 'journal' | 'held'>> {
  const { manifest, folder } = backup;
  const files = new Map(filesOf(manifest).map((file) => [file.name, file]));
  let result: Pick<Restored, 'journal' | 'held'> | undefined;
  await loadDatabase(database, manifest.database, {
    get: (name) => readFile(store, folder, files.get(name) ?? { name, bytes: 0, sha256: '' }),
    onProgress,
    afterwards: async (tx) => {
      const of = { series: manifest.journal ?? '', position: manifest.log_position };
      const hasJournal = journal !== null && manifest.journal !== null;
      if (hasJournal) onStep('Applying the delivery journal.');
      const applied = hasJournal ? await applyJournal(tx, journal, of) : null;
      // The restored database begins a series of its own.
      await tx.query('DELETE FROM journal_series');
      const { attempts, ...counts } = applied ?? { events: 0, emails: 0, isCovered: false, attempts: undefined };
      result = { journal: counts, held: await holdUndecided(tx, { attempts, isCovered: counts.isCovered }) };
    },
  });
  if (result === undefined) throw new Error('the restore ended early');
  return result;
}

async function unpackStatistics(config: Config, { store, backup }: Source): Promise<string | null> {
  const { files } = backup.manifest.statistics;
  if (files.length === 0) return null;
  const folder = join(config.dataDir, 'chdb.restored');
  await rm(folder, { recursive: true, force: true });
  for (const file of files) await unpackArchive(await readFile(store, backup.folder, file), folder);
  return folder;
}
