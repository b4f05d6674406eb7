import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, type Config } from '#libs/kernel';

const KEY_BYTES = 32;

export const masterKeyFile = (dataDir: string): string => join(dataDir, 'master-key');

/**
 * The keys of the settings MASTER_KEY and MASTER_KEY_PREVIOUS, else those of the file `DATA_DIR/master-key`, one a line: first
 * the wanted key, then the one that it replaces, if there is one. Empty when there is neither setting nor file.
 * @throws ConfigError when setting and file differ, or the file holds no key
 */
export async function readMasterKeys({ dataDir, settings }: Config): Promise<readonly Buffer[]> {
  const { MASTER_KEY, MASTER_KEY_PREVIOUS } = settings;
  const previous = MASTER_KEY_PREVIOUS === undefined ? [] : [MASTER_KEY_PREVIOUS];
  const file = masterKeyFile(dataDir);
  const text = await readIfExists(file);
  if (text === null) return MASTER_KEY === undefined ? [] : [MASTER_KEY, ...previous];
  const keys = text
    .trim()
    .split('\n')
    .map((line) => Buffer.from(line.trim(), 'base64'));
  if (keys.length > 2 || keys.some((key) => key.length !== KEY_BYTES))
    throw new ConfigError(
      `${file} does not hold 32 bytes in base64. Restore it from a backup; secrets cannot be read without it.`,
    );
  if (MASTER_KEY !== undefined && !MASTER_KEY.equals(keys[0]))
    throw new ConfigError(
      `MASTER_KEY differs from the key in ${file}: remove the setting to use the file, or move the file elsewhere to use the setting.`,
    );
  return keys.length === 1 ? [...keys, ...previous] : keys;
}

/** True if the keys are in the file and not in settings. */
export async function areKeysInFile({ dataDir, settings }: Config): Promise<boolean> {
  return settings.MASTER_KEY === undefined && (await readIfExists(masterKeyFile(dataDir))) !== null;
}

/** Replaces the file by one with these keys. It is complete or as before, whenever the process ends. */
export async function writeMasterKeys(dataDir: string, keys: readonly Buffer[]): Promise<void> {
  const file = masterKeyFile(dataDir);
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  await writeDurably(temporary, keys.map((key) => `${key.toString('base64')}\n`).join(''));
  await rename(temporary, file);
  await syncDirectory(dataDir);
}

/** For a new key. */
export const newMasterKey = (): Buffer => randomBytes(KEY_BYTES);

/**
 * Creates the file `DATA_DIR/master-key`: 32 random bytes in base64, readable by the owner only. It is flushed to disk
 * before its first use. An existing file is never replaced, and concurrent callers get the same key.
 */
export async function createMasterKey(dataDir: string): Promise<Buffer> {
  const text = await createKey(dataDir, masterKeyFile(dataDir));
  return Buffer.from(text.trim(), 'base64');
}

async function createKey(dataDir: string, file: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeDurably(temporary, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
    // Unlike a rename, a link never replaces a key that another process has created in the meantime.
    await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(temporary, { force: true });
  }
  await syncDirectory(dataDir);
  return readFile(file, 'utf8');
}

async function readIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A new file survives a crash only once its directory is flushed as well. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
