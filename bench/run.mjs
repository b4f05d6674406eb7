// The benchmarks, each beside the peer it is compared with in the same run.
//   npm run bench -- [http] [submission] [relay] [list] [--quick]
// Prints a line per run and tables of medians; writes JSON lines to .tools/bench. Exits with 0 whatever the figures are,
// and with 1 when a run broke or a mail was lost or came twice.
import { endAll } from './children.mjs';
import { measureHttp } from './http-accept.mjs';
import { measureList } from './list.mjs';
import { measureRelay } from './relay.mjs';
import { Report } from './report.mjs';
import { measureSubmission } from './submission.mjs';

const SCENARIOS = ['http', 'submission', 'relay', 'list'];

const words = process.argv.slice(2);
const quick = words.includes('--quick');
const wanted = words.filter((word) => word !== '--quick');
const unknown = wanted.filter((word) => !SCENARIOS.includes(word));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Usage: npm run bench -- [${SCENARIOS.join('] [')}] [--quick]`);
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
  ['list', () => measureList({ mails: 1_000_000, times: quick ? 11 : 51 }, report)],
];
let broken = false;
for (const [name, measure] of runs) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  try {
    await measure();
  } catch (error) {
    broken = true;
    report.note(`BROKEN: ${name}: ${error instanceof Error ? error.message : String(error)}`);
    await endAll();
  }
}
console.log(report.summary());
process.exitCode = broken ? 1 : 0;
