import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { built, requireProgram } from '../support/rest/client-builds.js';

const ROOT = new URL('../../', import.meta.url).pathname;
const run = promisify(execFile);

it.for([
  ['check', 'ops/prometheus/rules.yml'],
  ['test', 'ops/prometheus/rules.test.yml'],
])('promtool %ss the alerts', async ([word, file], { skip }) => {
  const isThere = await built(skip, () => Promise.resolve(requireProgram('promtool', '--version') ?? true));
  if (isThere === null) return;
  expect((await run('promtool', [word, 'rules', file], { cwd: ROOT })).stdout).toContain('SUCCESS');
});
