import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const KEY_BYTES = 32;

/**
 * The MASTER_KEY of a data directory, made at the first call: `master-key`, 32 random bytes in base64, readable by the
 * owner only. It is on disk before anything is sealed with it, and programs that start at once get the same one.
 * @throws when the file is there but holds no key; a new key would make every stored secret unreadable.
 */
export async function loadMasterKey(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, 'master-key');
  const text = (await readIfThere(file)) ?? (await makeKey(dataDir, file));
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== KEY_BYTES) {
    throw new Error(
      `${file} does not hold 32 bytes in base64. Restore it from a backup; secrets cannot be read without it.`,
    );
  }
  return key;
}

async function makeKey(dataDir: string, file: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeDurably(temporary, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
    // Unlike a rename, a link never replaces the key that somebody else made in the meantime.
    await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(temporary, { force: true });
  }
  await syncDirectory(dataDir);
  return readFile(file, 'utf8');
}

async function readIfThere(file: string): Promise<string | null> {
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

/** A file's name is durable once its directory is. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
