// What `npm test` runs after the set-up: unit and medium tests, then the program from outside. One summary at the end.
//   node tools/run-tests.mjs [--distributed] [vitest arguments]
//   --distributed: only the five programs as separate processes, on a real Kafka (KAFKA_TEST_BROKERS).
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const reports = join(root, '.tools/reports');
const distributed = process.argv.includes('--distributed');
const rest = process.argv.slice(2).filter((argument) => argument !== '--distributed');

const SUITES = distributed
  ? [['distributed', 'vitest.distributed.config.ts']]
  : [
      ['unit and medium', 'vitest.config.ts'],
      ['end to end', 'vitest.e2e.config.ts'],
    ];

mkdirSync(reports, { recursive: true });
const totals = { passed: 0, failed: 0, skipped: 0 };
let failedSuite = false;
for (const [name, config] of SUITES) {
  const report = join(reports, `${config}.json`);
  rmSync(report, { force: true });
  console.log(`\n== ${name}`);
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--config',
      config,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...rest,
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, NODE_ENV: 'test' } },
  );
  const counted = count(report);
  failedSuite ||= status !== 0 || counted === null;
  for (const key of Object.keys(totals)) totals[key] += counted?.[key] ?? 0;
}
console.log(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exit(failedSuite || totals.failed > 0 ? 1 : 0);

function count(report) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numFailedTestSuites } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    return {
      passed: numPassedTests,
      failed: numFailedTests || numFailedTestSuites,
      skipped: numPendingTests + numTodoTests,
    };
  } catch {
    return null;
  }
}
