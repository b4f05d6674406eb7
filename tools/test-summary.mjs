import { relative } from 'node:path';

/** What was kept of a long output is usually its last twenty lines. */
const MOST_FAILURES = 12;
const MOST_CHARACTERS = 240;

/**
 * The results of the projects of a run that ended with this code. It belongs to the tests where one failed.
 * @param {Pick<import('./test-summary.d.mts').ProjectResult, 'project' | 'report'>[]} projects
 * @param {number} code
 * @returns {import('./test-summary.d.mts').ProjectResult[]}
 */
export function projectResults(projects, code) {
  const hasFailures = projects.some(({ report }) => countsOf(report).failed > 0);
  return projects.map((one) => ({ ...one, code: hasFailures ? 0 : code, seconds: secondsOf(one.report) }));
}

/** From the first test to the last one. Projects of a run overlap. */
function secondsOf(report) {
  const files = report?.testResults.filter(({ assertionResults }) => assertionResults.length > 0) ?? [];
  if (files.length === 0) return 0;
  return (Math.max(...files.map((file) => file.endTime)) - Math.min(...files.map((file) => file.startTime))) / 1000;
}

/**
 * The end of the output of a run: the counts of each project, the totals, then the failed files and tests.
 * @param {import('./test-summary.d.mts').ProjectResult[]} results
 * @param {string} root
 * @returns {string[]}
 */
export function testSummary(results, root) {
  const counted = results.map((result) => ({ ...result, ...countsOf(result.report) }));
  const total = counted.reduce(add);
  return [...counted.map(projectLine), '', totals(total), ...failures(results, root)];
}

export function failedRun(results) {
  return results.some(({ code, report }) => code !== 0 || countsOf(report).failed > 0);
}

function projectLine({ project, code, seconds, passed, failed, skipped }) {
  const outside = code !== 0 && failed === 0 ? ', an error outside the tests: see "Unhandled Errors" above' : '';
  const start = `${project.padEnd(8)} ${seconds.toFixed(0).padStart(5)} s`;
  return `${start}   ${totals({ passed, failed, skipped })}${outside}`;
}

const totals = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** A file that cannot be loaded or prepared, and a project without a report, count as one failure each. */
function countsOf(report) {
  if (report === null) return { passed: 0, failed: 1, skipped: 0 };
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.testResults.filter(isUnprepared).length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

const isUnprepared = ({ status, assertionResults }) =>
  status === 'failed' && assertionResults.every((test) => test.status !== 'failed');

function add(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** One line per test; one per file where the tests are too many. */
function failures(results, root) {
  const failed = results.flatMap((result) => failedFiles(result, root));
  const each = failed.flatMap(({ name, tests }) => tests.map((test) => oneLine(`${name} › ${test}`)));
  if (each.length <= MOST_FAILURES) return each;
  const perFile = failed.map(({ name, tests: [first, ...others] }) => {
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    return `${oneLine(`${name} › ${first}`)}${more}`;
  });
  if (perFile.length <= MOST_FAILURES) return perFile;
  return [...perFile.slice(0, MOST_FAILURES - 1), `and ${perFile.length - MOST_FAILURES + 1} more files`];
}

function failedFiles({ project, report }, root) {
  if (report === null) return [{ name: project, tests: ['ended without a report'] }];
  return report.testResults
    .filter(({ status }) => status === 'failed')
    .map((file) => ({ name: relative(root, file.name), tests: failedTests(file) }));
}

function failedTests(file) {
  if (isUnprepared(file)) return [`could not be loaded or prepared: ${file.message ?? ''}`];
  return file.assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ ancestorTitles, title }) => [...ancestorTitles, title].join(' › '));
}

function oneLine(text) {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line;
}
