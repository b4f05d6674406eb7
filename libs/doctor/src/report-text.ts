import type { Check, CheckResult, Status } from './check.js';

const SYMBOLS: Readonly<Record<Status, string>> = { ok: '✓', warning: '!', error: '✗', skipped: '–' };
const WORDS: Readonly<Record<Status, string>> = {
  ok: 'ok     ',
  warning: 'warning',
  error: 'ERROR  ',
  skipped: 'skipped',
};
const RANK: Readonly<Record<Status, number>> = { error: 0, warning: 1, skipped: 2, ok: 3 };

interface Layout {
  checks: readonly Pick<Check, 'name' | 'title'>[];
  /** Terminals get symbols; files and pipes get words. */
  isTerminal: boolean;
}

/** The report as text: a section per check, the worst results first, each fix below its result. */
export function reportText(results: readonly CheckResult[], { checks, isTerminal }: Layout): string {
  const marks = isTerminal ? SYMBOLS : WORDS;
  const sections = checks.flatMap(({ name, title }) => {
    const own = results.filter(({ check }) => check === name).toSorted((a, b) => RANK[a.status] - RANK[b.status]);
    return own.length === 0 ? [] : [[`${title} (${name})`, ...own.flatMap((result) => linesOf(result, marks)), '']];
  });
  return [...sections.flat(), summary(results)].join('\n');
}

function linesOf({ status, subject, message, fix }: CheckResult, marks: Readonly<Record<Status, string>>): string[] {
  const lines = [`  ${marks[status]} ${subject}: ${message}`];
  if (fix === null) return lines;
  const [first, ...others] = fix.split('\n');
  const indent = ' '.repeat(marks[status].length + 3);
  return [...lines, `${indent}Fix: ${first}`, ...others.map((line) => `${indent}     ${line}`)];
}

function summary(results: readonly CheckResult[]): string {
  const count = (status: Status) => results.filter((result) => result.status === status).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const counts = `${plural(errors, 'error')}, ${plural(warnings, 'warning')}`;
  return `${verdict(count)}: ${counts}, ${count('skipped')} not looked at, ${count('ok')} ok.`;
}

function verdict(count: (status: Status) => number): string {
  if (count('error') > 0) return 'Not ready';
  if (count('warning') > 0) return 'No errors';
  return count('ok') > 0 ? 'All well' : 'Not known';
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
