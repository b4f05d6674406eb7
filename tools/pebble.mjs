// Pebble, an ACME authority for tests. It is built from its Go module into .tools/pebble, which takes a minute and needs Go.
//
//   node tools/pebble.mjs      builds it unless it is there
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = join(dirname(dirname(fileURLToPath(import.meta.url))), '.tools', 'pebble');
const MODULE = 'github.com/letsencrypt/pebble/v2';
const VERSION = 'v2.10.3';
const run = promisify(execFile);

/** The programs, whether or not they are there: the authority, and the DNS server that it asks. */
export const PEBBLE = { authority: join(FOLDER, 'pebble'), dns: join(FOLDER, 'pebble-challtestsrv') };

export async function buildPebble() {
  mkdirSync(FOLDER, { recursive: true });
  for (const [program, path] of [
    ['pebble', PEBBLE.authority],
    ['pebble-challtestsrv', PEBBLE.dns],
  ])
    if (!existsSync(path))
      await run('go', ['install', `${MODULE}/cmd/${program}@${VERSION}`], { env: { ...process.env, GOBIN: FOLDER } });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await buildPebble();
