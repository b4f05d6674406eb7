import { describe, expect, it } from 'vitest';
import {
  failedRun,
  projectResults,
  testSummary,
  type FileResult,
  type ProjectResult,
} from '../../tools/test-summary.mjs';

function file(name: string, failed: string[] = [], message = ''): FileResult {
  const results = (status: string, titles: string[]) =>
    titles.map((title) => ({ status, title, ancestorTitles: ['the queue'] }));
  return {
    name: `/checkout/${name}`,
    status: failed.length > 0 || message !== '' ? 'failed' : 'passed',
    message,
    startTime: 1_000,
    endTime: 13_400,
    assertionResults: message === '' ? [...results('passed', ['works']), ...results('failed', failed)] : [],
  };
}

function project(name: string, files: FileResult[]): ProjectResult {
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const count = (status: string) => tests.filter((test) => test.status === status).length;
  const report = {
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numPendingTests: 2,
    numTodoTests: 1,
    testResults: files,
  };
  return { project: name, code: files.some(({ status }) => status === 'failed') ? 1 : 0, seconds: 12.4, report };
}

const titles = (count: number) => Array.from({ length: count }, (_, i) => `fails ${i}`);
const linesOf = (...results: ProjectResult[]) => testSummary(results, '/checkout');
const failuresOf = (...files: FileResult[]) => linesOf(project('unit', files)).slice(3);

describe('the end of the output of a test run', () => {
  it('gives counts per project, totals, and the name of each failed test', () => {
    const results = [
      project('unit', [file('a.spec.ts', ['claims']), file('b.spec.ts')]),
      project('service', [file('c.spec.ts', ['settles'])]),
    ];
    expect(linesOf(...results)).toEqual([
      'unit        12 s   2 passed, 1 failed, 3 skipped',
      'service     12 s   1 passed, 1 failed, 3 skipped',
      '',
      '3 passed, 2 failed, 6 skipped',
      'a.spec.ts › the queue › claims',
      'c.spec.ts › the queue › settles',
    ]);
    expect(failedRun(results)).toBe(true);
  });

  it('ends with the totals where nothing failed', () => {
    const passed = project('unit', [file('a.spec.ts')]);
    expect(linesOf(passed).at(-1)).toBe('1 passed, 0 failed, 3 skipped');
    expect(failedRun([passed])).toBe(false);
  });

  it('names a file that could not be loaded, with the error in one line', () => {
    const broken = file('a.spec.ts', [], 'Error: no such module\n    at load');
    expect(failuresOf(broken)).toEqual(['a.spec.ts › could not be loaded or prepared: Error: no such module at load']);
    expect(failuresOf({ ...broken, message: 'x'.repeat(9_999) })[0]).toHaveLength(240);
  });

  it('names a project that ended without a report, or with an error outside the tests', () => {
    const [lost, outside] = [
      { project: 'system', code: 1, seconds: 3, report: null },
      { ...project('unit', [file('a.spec.ts')]), code: 1 },
    ];
    expect(linesOf(lost).slice(-2)).toEqual(['0 passed, 1 failed, 0 skipped', 'system › ended without a report']);
    expect(linesOf(outside)[0]).toMatch(/an error outside the tests: see "Unhandled Errors" above$/);
    expect([failedRun([lost]), failedRun([outside])]).toEqual([true, true]);
  });

  it('lasts from the first to the last test of a project; the code of the run belongs to failed tests', () => {
    const { report } = project('unit', [file('a.spec.ts'), { ...file('b.spec.ts'), startTime: 500 }]);
    const { report: failed } = project('system', [file('c.spec.ts', ['claims'])]);
    expect(projectResults([{ project: 'unit', report }], 1)).toEqual([
      { project: 'unit', report, code: 1, seconds: 12.9 },
    ]);
    const both = projectResults(
      [
        { project: 'unit', report },
        { project: 'system', report: failed },
      ],
      1,
    );
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(failedRun(both)).toBe(true);
  });

  it('takes at most twelve lines for failures: one per file where the tests are more, then a count of files', () => {
    expect(failuresOf(file('a.spec.ts', titles(12)))).toHaveLength(12);
    expect(failuresOf(file('a.spec.ts', titles(12)), file('b.spec.ts', ['claims']))).toEqual([
      'a.spec.ts › the queue › fails 0 (and 11 more)',
      'b.spec.ts › the queue › claims',
    ]);
    const many = failuresOf(...Array.from({ length: 20 }, (_, i) => file(`${i}.spec.ts`, ['claims'])));
    expect(many).toHaveLength(12);
    expect(many.slice(-2)).toEqual(['10.spec.ts › the queue › claims', 'and 9 more files']);
  });
});
