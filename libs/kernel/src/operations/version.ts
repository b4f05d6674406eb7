import { existsSync, readFileSync } from 'node:fs';

/** The version of Postloft. */
export const VERSION = readVersion(new URL('.', import.meta.url));

/** Of the first package file with a version above the module, wherever the build has put it. */
function readVersion(folder: URL): string {
  const file = new URL('package.json', folder);
  const version = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version
    : undefined;
  if (version !== undefined) return version;
  const above = new URL('..', folder);
  if (above.href === folder.href) throw new Error('package.json is missing above the programs.');
  return readVersion(above);
}
