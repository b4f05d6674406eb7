// Builds the dashboard and GraphiQL, both in apps/dashboard, and the pages of docs, into dist/dashboard.
//
//   node tools/dashboard.mjs
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCE = join(ROOT, 'apps', 'dashboard');
const CONFIGS = ['vite.config.ts', 'graphiql/vite.config.ts'];
const OPERATIONS = 'persisted-operations.json';

/** Files that the gateway serves under /app/ and /graphql, and the operations that sessions may send. */
export const DASHBOARD_DIST = join(ROOT, 'dist', 'dashboard');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Set-up imports this file before anything is installed.
  const { build } = await import('vite');
  const { writeGuide } = await import('./guide.mjs');
  // One after another: the first one empties the folder.
  for (const config of CONFIGS) await build({ configFile: join(SOURCE, config), logLevel: 'warn' });
  copyFileSync(join(SOURCE, OPERATIONS), join(DASHBOARD_DIST, OPERATIONS));
  writeGuide(join(ROOT, 'docs'), join(DASHBOARD_DIST, 'guide'));
  compressFiles();
}

/**
 * Writes `<file>.br` and `<file>.gz` beside the files of the dashboard, so that its first page waits for no compression.
 * GraphiQL is ten times as large and seldom used.
 */
function compressFiles() {
  const assets = readdirSync(join(DASHBOARD_DIST, 'assets')).map((name) => join('assets', name));
  for (const name of ['index.html', ...assets]) {
    const content = readFileSync(join(DASHBOARD_DIST, name));
    // A quality of 11 takes twice as long and gains 2 %.
    const params = { [constants.BROTLI_PARAM_QUALITY]: 10 };
    writeFileSync(join(DASHBOARD_DIST, `${name}.br`), brotliCompressSync(content, { params }));
    writeFileSync(join(DASHBOARD_DIST, `${name}.gz`), gzipSync(content, { level: 9 }));
  }
}
