// What the host of a virtual machine took from it while something was measured.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** As in proc(5): user, nice, system, idle, iowait, irq, softirq, steal, in 1/100 s of all processors together. */
const STEAL = 7;
const TICKS_PER_SECOND = 100;

/** @returns {number | null} seconds in which a processor had work and the host ran something else, since the start */
function stolenSeconds() {
  if (process.platform !== 'linux') return null;
  const [, ...ticks] = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0].split(/ +/).map(Number);
  return (ticks[STEAL] ?? 0) / TICKS_PER_SECOND;
}

/** @returns {() => number | null} which share of the processors' time, 0 to 1, the host took since then; null where nobody knows */
export function watchHost() {
  const startedAt = performance.now();
  const before = stolenSeconds();
  return () => {
    const after = stolenSeconds();
    const seconds = ((performance.now() - startedAt) / 1_000) * cpus().length;
    return before === null || after === null ? null : (after - before) / seconds;
  };
}

/** More than this share, and a run does not count. */
const QUIET = 0.03;
const MOST_TIMES = 2;
const PROBE_MS = 400;
const PAUSE_MS = 2_000;
const WAIT_MS = 60_000;

/** Work for every processor, for a moment: nothing is taken from one that has none. */
async function isQuiet() {
  const host = watchHost();
  const spin = `const end = Date.now() + ${PROBE_MS}; while (Date.now() < end);`;
  await Promise.all(cpus().map(() => new Promise((resolve) => new Worker(spin, { eval: true }).once('exit', resolve))));
  return (host() ?? 0) <= QUIET;
}

async function untilQuiet() {
  const end = performance.now() + WAIT_MS;
  while (!(await isQuiet()) && performance.now() < end) await sleep(PAUSE_MS);
}

/**
 * Runs both systems in turn, each pair once the host is quiet or a minute has passed. Where the host disturbed some, there
 * are more pairs, up to twice as many, and the least disturbed ones count. Both systems of a pair stay or go together.
 * @template T
 * @param {{ pairs: number, report: import('../report.mjs').Report, systems: T[] }} what `pairs`: how many count
 * @param {(system: T, pair: number) => Promise<import('../report.mjs').Row>} run
 */
export async function quietPairs({ pairs, report, systems }, run) {
  /** @type {{ rows: import('../report.mjs').Row[], stolen: number }[]} */
  const all = [];
  const quiet = () => all.filter(({ stolen }) => stolen <= QUIET).length;
  while (quiet() < pairs && all.length < MOST_TIMES * pairs) {
    await untilQuiet();
    const rows = [];
    for (const system of systems) rows.push(await run(system, all.length + 1));
    all.push({ rows, stolen: Math.max(...rows.map((row) => Number(row.stolen ?? 0))) });
  }
  all.sort((a, b) => a.stolen - b.stolen);
  report.drop(all.slice(pairs).flatMap(({ rows }) => rows));
}
