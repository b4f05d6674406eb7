// Runs all checks except the tests: format, lint, regular expressions, architecture, types, and generated files that must be up to date.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runStep } from './run-step.mjs';
import { setUp } from './setup.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDERS = ['apps', 'libs', 'test', 'tools', 'bench'].filter((folder) => existsSync(join(ROOT, folder)));
const tool = (path, ...args) => [process.execPath, join(ROOT, 'node_modules', path), ...args];

const STEPS = [
  { name: 'Format', command: tool('oxfmt/bin/oxfmt', '--check', '.') },
  { name: 'Lint', command: tool('oxlint/bin/oxlint', '--type-aware', '--deny-warnings', '.') },
  { name: 'Expressions', command: [process.execPath, 'tools/check-expressions.mjs'] },
  {
    name: 'Architecture',
    command: tool('dependency-cruiser/bin/dependency-cruise.mjs', '--config', '.dependency-cruiser.cjs', ...FOLDERS),
  },
  { name: 'Unused code', command: tool('knip/bin/knip.js', '--no-progress') },
  {
    name: 'Types',
    command: tool('typescript-native/bin/tsc', '-p', 'tsconfig.json', '--noEmit', '--incremental', 'false'),
  },
  {
    name: 'Types of the dashboard',
    command: tool('typescript-native/bin/tsc', '-p', 'apps/dashboard/tsconfig.json'),
  },
  {
    name: 'Generated files',
    command: [process.execPath, 'tools/generate.mjs', '--check'],
  },
  { name: 'Settings page', command: [process.execPath, 'tools/settings-page.mjs', '--check'] },
  { name: 'Licenses', command: [process.execPath, 'tools/licenses.mjs', '--check'] },
];

await setUp().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
const results = [];
for (const step of STEPS) {
  const startedAt = performance.now();
  const failure = await runStep({ ...step, cwd: ROOT, stdio: 'inherit' }).catch((error) => error);
  results.push({ name: step.name, failure, seconds: (performance.now() - startedAt) / 1000 });
}
for (const { name, failure, seconds } of results)
  console.log(`${failure ? 'FAILED' : 'ok'.padEnd(6)}  ${name.padEnd(22)} ${seconds.toFixed(1).padStart(5)} s`);
const failed = results.filter(({ failure }) => failure !== undefined);
console.log(failed.length === 0 ? 'All checks passed.' : `Failed: ${failed.map(({ name }) => name).join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
