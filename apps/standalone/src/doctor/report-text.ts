import type { Check } from './check.js';
import type { Finding, Status } from './finding.js';

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
  /** Symbols where a person reads, words where a program or a file does. */
  isTerminal: boolean;
}

/** For people: by check, the worst first, each with what to do about it. */
export function reportText(findings: readonly Finding[], { checks, isTerminal }: Layout): string {
  const marks = isTerminal ? SYMBOLS : WORDS;
  const sections = checks.flatMap(({ name, title }) => {
    const own = findings.filter(({ check }) => check === name).toSorted((a, b) => RANK[a.status] - RANK[b.status]);
    return own.length === 0 ? [] : [[`${title} (${name})`, ...own.flatMap((found) => linesOf(found, marks)), '']];
  });
  return [...sections.flat(), summary(findings)].join('\n');
}

function linesOf({ status, subject, message, fix }: Finding, marks: Readonly<Record<Status, string>>): string[] {
  const lines = [`  ${marks[status]} ${subject}: ${message}`];
  if (fix === null) return lines;
  const [first, ...others] = fix.split('\n');
  const indent = ' '.repeat(marks[status].length + 3);
  return [...lines, `${indent}Fix: ${first}`, ...others.map((line) => `${indent}     ${line}`)];
}

function summary(findings: readonly Finding[]): string {
  const count = (status: Status) => findings.filter((found) => found.status === status).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const counts = `${numbered(errors, 'error')}, ${numbered(warnings, 'warning')}`;
  return `${verdict(count)}: ${counts}, ${count('skipped')} not looked at, ${count('ok')} ok.`;
}

function verdict(count: (status: Status) => number): string {
  if (count('error') > 0) return 'Not ready';
  if (count('warning') > 0) return 'No errors';
  return count('ok') > 0 ? 'All well' : 'Not known';
}

const numbered = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
