import { createHash } from 'node:crypto';
import type { DatabaseDump, DumpFile } from '#libs/persistence';
import { ObjectMissing, type ObjectStore } from '#libs/storage';

export const MANIFEST = 'manifest.json';
const FORMAT = 1;
/** A generation is named after the time at which it began: `20261127T170803Z`. */
const GENERATION = /^\d{8}T\d{6}Z$/;

/** What one backup consists of. It is written last, so a folder without it is no backup. */
export interface Manifest {
  format: typeof FORMAT;
  /** The version of the program that made it. */
  program: string;
  started_at: string;
  finished_at: string;
  database: DatabaseDump;
  /** The position of the newest event in the log of the snapshot. */
  log_position: number;
  /** The series of the delivery journal at the time of the snapshot; null: there was none. */
  journal: string | null;
  /** `server`: in the ClickHouse server of CLICKHOUSE_URL, which has a backup of its own. */
  statistics: { engine: 'embedded' | 'server'; files: DumpFile[] };
  /** Segments of contents outside of the database, by their names. */
  contents: (DumpFile & { segment: string })[];
  /** Encrypted with a passphrase; null unless it was asked for. */
  master_key: DumpFile | null;
  /** In base64: equal only for the same master key. Null: the database holds no data that needs one. */
  master_key_check: string | null;
  /** As `--check-config` shows them, without secrets. */
  settings: Record<string, unknown>;
  counts: { accounts: number; emails: number; recipients: number; contents: number };
}

/** Every file of a backup but the manifest. */
export const filesOf = ({ database, statistics, contents, master_key }: Manifest): DumpFile[] => [
  ...database.tables.flatMap(({ files }) => files),
  ...statistics.files,
  ...contents,
  ...(master_key === null ? [] : [master_key]),
];

export const generationAt = (time: Date): string => time.toISOString().replace(/[-:]|\.\d+/g, '');

const isGeneration = (name: string): boolean => GENERATION.test(name);

/** A complete backup. `folder` is empty, or the name of the generation with a slash. */
export interface Generation {
  folder: string;
  manifest: Manifest;
}

/**
 * The backup at a place: the one that it is, or the newest complete one below it.
 * @throws an error with a sentence if there is none
 */
export async function findBackup(store: ObjectStore): Promise<Generation> {
  const own = await readManifest(store, '');
  if (own !== null) return { folder: '', manifest: own };
  for (const name of (await generations(store)).reverse()) {
    const manifest = await readManifest(store, `${name}/`);
    if (manifest !== null) return { folder: `${name}/`, manifest };
  }
  throw new Error(`There is no complete backup at ${store.place}.`);
}

/** The names of all generations, complete or not, the oldest first. */
export async function generations(store: ObjectStore): Promise<string[]> {
  return (await store.folders()).filter(isGeneration).sort();
}

/** Null: there is none. @throws an error with a sentence if it cannot be read */
export async function readManifest(store: ObjectStore, folder: string): Promise<Manifest | null> {
  let text: string;
  try {
    text = (await store.get(folder + MANIFEST)).toString('utf8');
  } catch (error) {
    if (error instanceof ObjectMissing) return null;
    throw new Error(`${store.place} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
  const where = `${folder}${MANIFEST} of ${store.place}`;
  const found = parsed(text);
  if (found === null || !Array.isArray(found.database?.tables)) throw new Error(`${where} is damaged.`);
  if (found.format !== FORMAT)
    throw new Error(`${where} has the format ${String(found.format)}, which this version cannot read.`);
  return found;
}

function parsed(text: string): Manifest | null {
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    return null;
  }
}

/** A file of a backup. @throws an error with a sentence if it is missing or has other bytes than the manifest says */
export async function readFile(store: ObjectStore, folder: string, file: DumpFile): Promise<Buffer> {
  const body = await store.get(folder + file.name).catch((error: Error) => {
    throw error instanceof ObjectMissing
      ? new Error(`The file ${folder}${file.name} of ${store.place} is missing.`)
      : new Error(`The file ${folder}${file.name} of ${store.place} cannot be read: ${error.message}.`);
  });
  if (body.length === file.bytes && sha256(body) === file.sha256) return body;
  throw new Error(
    `The file ${folder}${file.name} of ${store.place} is damaged: its SHA-256 is not that of the manifest.`,
  );
}

export const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');
