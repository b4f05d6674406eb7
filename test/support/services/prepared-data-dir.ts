import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const KEPT = join(ROOT, '.tools', 'prepared-data-dirs');
const PLACE = 'POSTLOFT_PREPARED_DATA_DIR';

/**
 * Makes the data directory that `copyPreparedDataDir` copies, unless one of this code is kept from an earlier run: an
 * initialised and migrated database and an opened statistics store, without master key, account or API key. A program
 * that starts on a copy does everything else of a first start. Call it in the global set-up.
 */
export async function prepareDataDir(): Promise<void> {
  const kept = join(KEPT, digestOfInputs());
  if (!existsSync(kept)) await makeAt(kept);
  process.env[PLACE] = kept;
}

/** A new data directory below the system's folder for temporary files; whoever asks for it removes it. */
export function copyPreparedDataDir(): string {
  const prepared = process.env[PLACE];
  if (prepared === undefined) throw new Error('prepareDataDir() must run in the global set-up');
  const copy = newDataDir();
  copyTo(prepared, copy);
  return copy;
}

async function makeAt(kept: string): Promise<void> {
  const dataDir = newDataDir();
  try {
    await fill(dataDir);
    rmSync(KEPT, { recursive: true, force: true });
    mkdirSync(KEPT, { recursive: true });
    const draft = mkdtempSync(join(KEPT, 'new-'));
    copyTo(dataDir, draft);
    renameSync(draft, kept);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** In a process of its own: the statistics engine stays in the memory of the process that opened it. */
async function fill(dataDir: string): Promise<void> {
  mkdirSync(join(ROOT, '.tools'), { recursive: true });
  const program = mkdtempSync(join(ROOT, '.tools', 'make-data-dir-'));
  try {
    await build({
      configFile: false,
      root: ROOT,
      logLevel: 'error',
      ssr: { resolve: { conditions: ['source', 'module', 'node', 'development|production'] } },
      build: {
        ssr: fileURLToPath(new URL('make-data-dir.ts', import.meta.url)),
        outDir: program,
        minify: false,
      },
    });
    const run = promisify(execFile);
    await run(process.execPath, [join(program, 'make-data-dir.js'), dataDir], { cwd: ROOT });
  } finally {
    rmSync(program, { recursive: true, force: true });
  }
}

/** The database runs as an ordinary account, which must reach the folder. */
function newDataDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'postloft-data-'));
  chmodSync(dir, 0o755);
  return dir;
}

/** Keeps owners, which `cpSync` does not: the database belongs to an account of its own. */
function copyTo(from: string, to: string): void {
  execFileSync('cp', ['-a', '--reflink=auto', `${from}/.`, to]);
}

/** Of both schemas, of the engines' versions, and of the day, because the first partition is that of the day. */
function digestOfInputs(): string {
  const hash = createHash('sha256').update(new Date().toISOString().slice(0, 'YYYY-MM-DD'.length));
  for (const folder of ['libs/persistence/src', 'libs/stats/src'])
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).toSorted())
      if (/(?<!\.spec)\.(ts|sql|json)$/.test(name)) hash.update(name).update(readFileSync(join(ROOT, folder, name)));
  const { dependencies, optionalDependencies } = createRequire(import.meta.url)(join(ROOT, 'package.json')) as Record<
    'dependencies' | 'optionalDependencies',
    Record<string, string>
  >;
  const engines = [dependencies['chdb'], optionalDependencies];
  return hash.update(JSON.stringify(engines)).digest('hex').slice(0, 16);
}
