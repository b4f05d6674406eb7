// Everything that must hold besides the tests: format, lint, architecture, types, and generated files without a difference.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runStep } from './run-step.mjs';
import { setUp } from './setup.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const tool = (path, ...args) => [process.execPath, join(ROOT, 'node_modules', path), ...args];

const STEPS = [
  { name: 'Format', command: tool('prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.') },
  { name: 'Lint', command: tool('oxlint/bin/oxlint', '--type-aware', '--deny-warnings', '.') },
  {
    name: 'Architecture',
    command: tool(
      'dependency-cruiser/bin/dependency-cruise.mjs',
      '--config',
      '.dependency-cruiser.cjs',
      'apps',
      'libs',
      'test',
    ),
  },
  {
    name: 'Types',
    command: tool('typescript-native/bin/tsc', '-p', 'tsconfig.json', '--noEmit', '--incremental', 'false'),
  },
  {
    name: 'Generated files',
    command: [process.execPath, 'tools/generate.mjs', '--check'],
    needs: 'tools/generate.mjs',
  },
];

await setUp({ dev: true }).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
const failed = [];
for (const { needs, ...step } of STEPS) {
  if (needs !== undefined && !existsSync(join(ROOT, needs))) continue;
  await runStep({ ...step, cwd: ROOT, stdio: 'inherit' }).catch(() => failed.push(step.name));
}
console.log(failed.length === 0 ? 'All checks hold.' : `Failed: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
