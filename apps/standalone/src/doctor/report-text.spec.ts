import { expect, it } from 'vitest';
import { error, ok, skipped, warning, type Remark } from './finding.js';
import { reportText } from './report-text.js';

const CHECKS = [
  { name: 'one', title: 'The first' },
  { name: 'two', title: 'The second' },
  { name: 'three', title: 'Without findings' },
];
const found = (check: string, remark: Remark) => ({ check, ...remark });
const FINDINGS = [
  found('one', ok({ subject: 'a', message: 'It is well.' })),
  found('one', error({ subject: 'b', message: 'It is broken.', fix: 'line 1\nline 2' })),
  found('two', skipped({ subject: 'c', message: 'Nobody knows.' })),
  found('two', warning({ subject: 'd', message: 'It is odd.', fix: 'mend it' })),
];

it('has the worst first within each check, and the fix below its finding', () => {
  expect(reportText(FINDINGS, { checks: CHECKS, isTerminal: false })).toBe(`The first (one)
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

it('has symbols on a terminal only', () => {
  const text = reportText(FINDINGS, { checks: CHECKS, isTerminal: true });
  expect(text).toContain('  ✗ b: It is broken.\n    Fix: line 1\n         line 2\n  ✓ a: It is well.');
});

it('says in its last line whether mail can go', () => {
  const last = (...findings: typeof FINDINGS) =>
    reportText(findings, { checks: CHECKS, isTerminal: false }).split('\n').at(-1);
  expect(last(FINDINGS[0])).toBe('All well: 0 errors, 0 warnings, 0 not looked at, 1 ok.');
  expect(last(FINDINGS[2])).toBe('Not known: 0 errors, 0 warnings, 1 not looked at, 0 ok.');
  expect(last(FINDINGS[3], FINDINGS[3])).toBe('No errors: 0 errors, 2 warnings, 0 not looked at, 0 ok.');
});
