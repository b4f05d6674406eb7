// The last lines of a run: what failed, with the first lines of why, and the sum of all tests of all reports. A project that
// left no report, and a file that could not be loaded or prepared, count as one failure each, because what did not run did not pass.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const PROJECTS = ['unit', 'service', 'system', 'engines', 'browser'];
const REASON_LINES = 6;

const sum = { passed: 0, failed: 0, skipped: 0 };
function fail(what, reason = '') {
  sum.failed += 1;
  const lines = reason.split('\n').filter(Boolean).slice(0, REASON_LINES);
  console.log([`FAILED ${what}`, ...lines.map((line) => `       ${line}`)].join('\n'));
}

for (const project of PROJECTS) {
  const file = `.tools/reports/${project}.json`;
  if (!existsSync(file)) {
    fail(`${project}: no report`);
    continue;
  }
  const report = JSON.parse(readFileSync(file, 'utf8'));
  sum.passed += report.numPassedTests;
  sum.skipped += report.numPendingTests + report.numTodoTests;
  for (const { name, status, message, assertionResults } of report.testResults) {
    const path = relative(process.cwd(), name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && failed.length === 0) fail(path, message || 'The file failed outside its tests.');
    for (const { fullName, failureMessages } of failed) fail(`${path}: ${fullName}`, failureMessages[0]);
  }
}
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exit(sum.failed > 0 ? 1 : 0);
