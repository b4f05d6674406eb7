// Measures the processor time that the host took from a virtual machine.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** As in proc(5): user, nice, system, idle, iowait, irq, softirq, steal, in 1/100 s of all processors together. */
const STEAL = 7;
const TICKS_PER_SECOND = 100;

/** @returns {number | null} seconds since the start in which a processor had work and the host ran something else */
function stolenSeconds() {
  if (process.platform !== 'linux') return null;
  const [, ...ticks] = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0].split(/ +/).map(Number);
  return (ticks[STEAL] ?? 0) / TICKS_PER_SECOND;
}

/** @returns {() => number | null} the share of processor time, 0 to 1, that the host took since then; null if unknown */
export function watchHost() {
  const startedAt = performance.now();
  const before = stolenSeconds();
  return () => {
    const after = stolenSeconds();
    const seconds = ((performance.now() - startedAt) / 1_000) * cpus().length;
    return before === null || after === null ? null : (after - before) / seconds;
  };
}

/** A run in which the host took a larger share does not count. */
const QUIET = 0.03;
const MAX_REPETITIONS = 2;
const PROBE_MS = 400;
const PAUSE_MS = 2_000;
const WAIT_MS = 60_000;

/** Keeps all processors busy for a moment, because the host takes no time from idle processors. */
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
 * Runs both systems in turn, each pair once the host is quiet or a minute has passed. If the host disturbs some pairs,
 * more pairs are run, up to twice as many, and the least disturbed ones count. Both runs of a pair count, or neither.
 * @template T
 * @param {{ pairs: number, report: import('../report.mjs').Report, systems: T[] }} what `pairs`: number of pairs that count
 * @param {(system: T, pair: number) => Promise<import('../report.mjs').Row>} run
 */
export async function quietPairs({ pairs, report, systems }, run) {
  /** @type {{ rows: import('../report.mjs').Row[], stolen: number }[]} */
  const all = [];
  const quiet = () => all.filter(({ stolen }) => stolen <= QUIET).length;
  while (quiet() < pairs && all.length < MAX_REPETITIONS * pairs) {
    await untilQuiet();
    const rows = [];
    for (const system of systems) rows.push(await run(system, all.length + 1));
    all.push({ rows, stolen: Math.max(...rows.map((row) => Number(row.stolen ?? 0))) });
  }
  all.sort((a, b) => a.stolen - b.stolen);
  report.drop(all.slice(pairs).flatMap(({ rows }) => rows));
}
