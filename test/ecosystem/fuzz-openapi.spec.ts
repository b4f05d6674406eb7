import { describe, expect, it } from 'vitest';
import { BIG, built, fetched, requireProgram, run } from '../support/rest/client-builds.js';

const FUZZ = new URL('../../.ci/fuzz', import.meta.url).pathname;
const MINUTES_MS = 60_000;

/** Longer runs than those of the gate, with another seed. */
const RUNS: [string, string[]][] = [
  [
    'accepts every request that is valid by openapi.json',
    ['--mode', 'positive', '--checks', 'positive_data_acceptance', '--phases', 'examples,coverage,fuzzing'],
  ],
  [
    'answers any request as openapi.json describes',
    ['--mode', 'all', '--phases', 'examples,coverage,fuzzing,stateful'],
  ],
];

describe('the service under the fuzzer', () => {
  it.for(RUNS)('%s', { timeout: 30 * MINUTES_MS }, async ([, options], { skip }) => {
    const isThere = await built(skip, async () => {
      requireProgram('python3', '-m', 'venv', '--help');
      await fetched(FUZZ, ['--set-up'], {});
      return true;
    });
    if (isThere === null) return;
    const deeper = ['--max-examples', '30', '--seed', '2'];
    const { stdout } = await run(FUZZ, [...options, ...deeper], BIG);
    expect(stdout).toContain('No issues found');
  });
});
