import { expect, it } from 'vitest';
import { error, ok, skipped, warning, type Result } from './check.js';
import { reportText } from './report-text.js';

const CHECKS = [
  { name: 'one', title: 'The first' },
  { name: 'two', title: 'The second' },
  { name: 'three', title: 'Without results' },
];
const reported = (check: string, result: Result) => ({ check, ...result });
const RESULTS = [
  reported('one', ok({ subject: 'a', message: 'It is well.' })),
  reported('one', error({ subject: 'b', message: 'It is broken.', fix: 'line 1\nline 2' })),
  reported('two', skipped({ subject: 'c', message: 'Nobody knows.' })),
  reported('two', warning({ subject: 'd', message: 'It is odd.', fix: 'mend it' })),
];

it('lists the worst result first within each check, and the fix below its result', () => {
  expect(reportText(RESULTS, { checks: CHECKS, isTerminal: false })).toBe(`The first (one)
  ERROR   b: It is broken.
          Fix: line 1
               line 2
  ok      a: It is well.

The second (two)
  warning d: It is odd.
          Fix: mend it
  skipped c: Nobody knows.

Not ready: 1 error, 1 warning, 1 not looked at, 1 ok.`);
});

it('uses symbols only on a terminal', () => {
  const text = reportText(RESULTS, { checks: CHECKS, isTerminal: true });
  expect(text).toContain('  ✗ b: It is broken.\n    Fix: line 1\n         line 2\n  ✓ a: It is well.');
});

it('sums up in its last line', () => {
  const last = (...results: typeof RESULTS) =>
    reportText(results, { checks: CHECKS, isTerminal: false }).split('\n').at(-1);
  expect(last(RESULTS[0])).toBe('All well: 0 errors, 0 warnings, 0 not looked at, 1 ok.');
  expect(last(RESULTS[2])).toBe('Not known: 0 errors, 0 warnings, 1 not looked at, 0 ok.');
  expect(last(RESULTS[3], RESULTS[3])).toBe('No errors: 0 errors, 2 warnings, 0 not looked at, 0 ok.');
});
