// SeaweedFS, an S3 server, for the tests of CONTENT_STORE=s3. It is built from its Go module into .tools/seaweedfs, which takes
// some minutes and needs Go.
//
//   node tools/seaweedfs.mjs      builds it unless it is there
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = join(dirname(dirname(fileURLToPath(import.meta.url))), '.tools', 'seaweedfs');
const MODULE = 'github.com/seaweedfs/seaweedfs@v0.0.0-20261109003541-7506e5f91cd6';
const run = promisify(execFile);

/** The program, whether or not it is there. */
export const SEAWEEDFS = join(FOLDER, 'weed');

/** A module with `replace` lines cannot be installed, but a copy of it can be built. */
export async function buildSeaweedfs() {
  if (existsSync(SEAWEEDFS)) return;
  const { stdout } = await run('go', ['mod', 'download', '-json', MODULE], { maxBuffer: 1e8 });
  const { Dir } = /** @type {{ Dir: string }} */ (JSON.parse(stdout));
  const source = join(FOLDER, 'source');
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  cpSync(Dir, source, { recursive: true });
  // The cache of Go is read-only.
  for (const path of ['.', ...readdirSync(source, { recursive: true, encoding: 'utf8' })])
    chmodSync(join(source, path), 0o755);
  await run('go', ['build', '-o', SEAWEEDFS, './weed'], { cwd: source, maxBuffer: 1e8 });
  rmSync(source, { recursive: true });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await buildSeaweedfs();
