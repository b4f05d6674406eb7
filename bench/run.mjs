// Runs the benchmarks, each together with the peer that it is compared with.
//   npm run bench -- [http] [submission] [relay] [list] [--quick]
// Prints a line per run and tables of medians; writes JSON lines to .tools/bench. The exit code does not depend on the
// figures; it is 1 if a run failed, or if a message was lost or duplicated.
import { endAll } from './children.mjs';
import { measureHttp } from './http-accept.mjs';
import { measureList } from './list.mjs';
import { measureRelay } from './relay.mjs';
import { Report } from './report.mjs';
import { measureSubmission } from './submission.mjs';

// For the child processes: the peers get as many threads as the Postloft programs (tools/launcher.cjs).
process.env.UV_THREADPOOL_SIZE ??= '16';

const SCENARIOS = ['http', 'submission', 'relay', 'list'];

const options = process.argv.slice(2);
const quick = options.includes('--quick');
const wanted = options.filter((option) => option !== '--quick');
const unknown = wanted.filter((option) => !SCENARIOS.includes(option));
if (unknown.length > 0) {
  console.error(
    `Unknown argument: ${unknown.join(', ')}. Usage: npm run bench -- [${SCENARIOS.join('] [')}] [--quick]`,
  );
  process.exit(2);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void endAll().then(() => process.exit(130)));

const report = new Report();
/** @type {[string, () => Promise<void>][]} */
const runs = [
  [
    'http',
    () =>
      measureHttp(
        quick ? { pairs: 3, count: 5_000, warmUp: 2_000 } : { pairs: 7, count: 10_000, warmUp: 4_000 },
        report,
      ),
  ],
  [
    'submission',
    () =>
      measureSubmission(
        quick ? { pairs: 3, count: 3_000, warmUp: 3_000 } : { pairs: 7, count: 6_000, warmUp: 6_000 },
        report,
      ),
  ],
  [
    'relay',
    () => measureRelay(quick ? { pairs: 3, share: 0.5, warmUp: 2_000 } : { pairs: 5, share: 1, warmUp: 6_000 }, report),
  ],
  ['list', () => measureList({ messages: 1_000_000, times: quick ? 11 : 51 }, report)],
];
let failed = false;
for (const [name, measure] of runs) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  try {
    await measure();
  } catch (error) {
    failed = true;
    report.note(`FAILED: ${name}: ${error instanceof Error ? error.message : String(error)}`);
    await endAll();
  }
}
console.log(report.summary());
process.exitCode = failed ? 1 : 0;
