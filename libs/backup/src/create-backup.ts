import { join } from 'node:path';
import type { StoredContents } from '#libs/emails';
import type { Config, Log } from '#libs/kernel';
import { dumpDatabase, type Database, type DumpFile, type Queryable } from '#libs/persistence';
import type { ObjectStore } from '#libs/storage';
import { generationAt, MANIFEST, sha256, type Manifest } from './manifest.js';
import { sealKey } from './sealed-key.js';
import { StatisticsCopy } from './statistics-archive.js';

export interface BackupParts {
  database: Database;
  contents: StoredContents;
  config: Config;
  log: Log;
  /** Version of the program. */
  version: string;
}

export interface BackupOptions {
  /** With which the master key is encrypted; undefined: the backup has no master key. */
  passphrase?: string;
  onProgress?: (step: string, done: number, of: number) => void;
}

export interface CreatedBackup {
  generation: string;
  manifest: Manifest;
}

interface InSnapshot {
  position: number;
  journal: string | null;
  keyCheck: string | null;
}

/**
 * Makes a generation at a place, while programs run: the database as of one moment, then everything that its rows point to.
 * The manifest comes last, so that an interrupted backup is none.
 */
export async function createBackup(
  parts: BackupParts,
  store: ObjectStore,
  options: BackupOptions = {},
): Promise<CreatedBackup> {
  const startedAt = new Date();
  const generation = generationAt(startedAt);
  const writer = new GenerationWriter(store, generation);
  const onProgress = options.onProgress ?? (() => undefined);
  let facts: InSnapshot | undefined;
  try {
    const database = await dumpDatabase(parts.database, {
      put: (name, body) => writer.put(name, body).then(() => undefined),
      onProgress,
      inSnapshot: async (tx) => {
        facts = await factsOf(tx);
      },
    });
    const statistics = await copyStatistics(parts, writer, onProgress);
    const contents = await copyContents(parts.contents, writer, onProgress);
    const manifest: Manifest = {
      format: 1,
      program: parts.version,
      started_at: startedAt.toISOString(),
      finished_at: new Date().toISOString(),
      database,
      log_position: facts?.position ?? 0,
      journal: facts?.journal ?? null,
      statistics,
      contents,
      master_key: await writeKey(parts.config, writer, options.passphrase),
      master_key_check: facts?.keyCheck ?? null,
      settings: parts.config.describeAll(),
      counts: countsOf(database),
    };
    await writer.put(MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
    return { generation, manifest };
  } catch (error) {
    await store.delete(`${generation}/`).catch(() => undefined);
    throw new Error(`The backup to ${store.place} failed: ${(error as Error).message.replace(/\.$/, '')}.`, {
      cause: error,
    });
  }
}

class GenerationWriter {
  constructor(
    private readonly store: ObjectStore,
    private readonly generation: string,
  ) {}

  async put(name: string, body: Buffer): Promise<DumpFile> {
    await this.store.put(`${this.generation}/${name}`, body);
    return { name, bytes: body.length, sha256: sha256(body) };
  }
}

async function factsOf(tx: Queryable): Promise<InSnapshot> {
  const { rows } = await tx.query<{ position: string; journal: string | null; check: Buffer | null }>(
    `SELECT (SELECT position FROM event_log_head) AS position, (SELECT series FROM journal_series) AS journal,
            (SELECT master_key_check FROM installation) AS check`,
  );
  const [{ position, journal, check }] = rows;
  return { position: Number(position), journal, keyCheck: check === null ? null : check.toString('base64') };
}

/** Links in the data directory make the copy one of a moment; the files are read afterwards. */
async function copyStatistics(
  { config }: BackupParts,
  writer: GenerationWriter,
  onProgress: NonNullable<BackupOptions['onProgress']>,
): Promise<Manifest['statistics']> {
  if (config.settings.CLICKHOUSE_URL !== undefined) return { engine: 'server', files: [] };
  const copy = await StatisticsCopy.of(join(config.dataDir, 'chdb'), join(config.dataDir, 'chdb.backup'));
  try {
    const files: DumpFile[] = [];
    for await (const archive of copy.archives()) {
      files.push(await writer.put(`statistics/${String(files.length + 1).padStart(4, '0')}.files.gz`, archive));
      onProgress('statistics', files.length, files.length);
    }
    return { engine: 'embedded', files };
  } finally {
    await copy.release();
  }
}

/** After the snapshot: its rows point to no bytes that are written later. */
async function copyContents(
  contents: StoredContents,
  writer: GenerationWriter,
  onProgress: NonNullable<BackupOptions['onProgress']>,
): Promise<Manifest['contents']> {
  const files: Manifest['contents'] = [];
  for await (const segment of contents.segments()) {
    const body = await contents.segment(segment);
    if (body === null) continue;
    files.push({ segment, ...(await writer.put(`contents/${segment}`, body)) });
    onProgress('contents', files.length, files.length);
  }
  return files;
}

async function writeKey(
  config: Config,
  writer: GenerationWriter,
  passphrase: string | undefined,
): Promise<DumpFile | null> {
  return passphrase === undefined ? null : writer.put('master-key.json', sealKey(config.masterKey, passphrase));
}

function countsOf({ tables }: Manifest['database']): Manifest['counts'] {
  const rows = (name: string): number => tables.find((table) => table.name === name)?.rows ?? 0;
  return {
    accounts: rows('accounts'),
    emails: rows('emails'),
    recipients: rows('recipients'),
    contents: rows('email_contents'),
  };
}
