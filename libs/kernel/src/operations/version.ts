import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The package file: above the sources, or above the folder of the compiled programs. */
const FILES = ['../../../../package.json', '../../../../../package.json'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** The version of Postloft. */
export const VERSION = readVersion();

function readVersion(): string {
  const file = FILES.find((path) => existsSync(path));
  if (file === undefined) throw new Error('package.json is missing beside the programs.');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
