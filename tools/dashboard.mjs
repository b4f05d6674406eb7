// Builds the dashboard and GraphiQL, both in apps/dashboard, into dist/dashboard.
//
//   node tools/dashboard.mjs
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCE = join(ROOT, 'apps', 'dashboard');
const CONFIGS = ['vite.config.ts', 'graphiql/vite.config.ts'];
const OPERATIONS = 'persisted-operations.json';

/** Files that the gateway serves under /app/ and /graphql, and the operations that sessions may send. */
export const DASHBOARD_DIST = join(ROOT, 'dist', 'dashboard');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { build } = await import('vite');
  // One after another: the first one empties the folder.
  for (const config of CONFIGS) await build({ configFile: join(SOURCE, config), logLevel: 'warn' });
  copyFileSync(join(SOURCE, OPERATIONS), join(DASHBOARD_DIST, OPERATIONS));
}
