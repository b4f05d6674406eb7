// The last line of a run: all tests of all reports. A suite that left no report, and a file that could not be loaded,
// count as one failure each, because what did not run did not pass.
import { existsSync, readFileSync } from 'node:fs';

const SUITES = ['config', 'e2e.config', 'distributed.config', 'heavy.config', 'patient.config'].map(
  (name) => `vitest.${name}.ts`,
);

const sum = { passed: 0, failed: 0, skipped: 0 };
for (const suite of SUITES) {
  const file = `.tools/reports/${suite}.json`;
  if (!existsSync(file)) {
    sum.failed += 1;
    continue;
  }
  const report = JSON.parse(readFileSync(file, 'utf8'));
  sum.passed += report.numPassedTests;
  sum.skipped += report.numPendingTests + report.numTodoTests;
  sum.failed += report.numFailedTests;
  sum.failed += report.testResults.filter((one) => one.status === 'failed' && one.assertionResults.length === 0).length;
}
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exit(sum.failed > 0 ? 1 : 0);
