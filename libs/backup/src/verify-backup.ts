import type { ObjectStore } from '#libs/storage';
import { filesOf, findBackup, readFile, type Generation } from './manifest.js';

/**
 * Reads every file of the backup at a place and compares it with the manifest.
 * @throws an error with a sentence that names the first file that is missing or damaged
 */
export async function verifyBackup(
  store: ObjectStore,
  onProgress: (step: string, done: number, of: number) => void = () => undefined,
): Promise<Generation> {
  const found = await findBackup(store);
  const files = filesOf(found.manifest);
  for (const [i, file] of files.entries()) {
    await readFile(store, found.folder, file);
    onProgress('files', i + 1, files.length);
  }
  return found;
}
