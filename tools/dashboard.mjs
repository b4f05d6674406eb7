// Builds the dashboard, apps/dashboard, into dist/dashboard.
//
//   node tools/dashboard.mjs
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** What the gateway serves under /app/. */
export const DASHBOARD_DIST = join(ROOT, 'dist', 'dashboard');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { build } = await import('vite');
  await build({ configFile: join(ROOT, 'apps', 'dashboard', 'vite.config.ts'), logLevel: 'warn' });
}
