// CPU time and memory of process trees, from /proc. Without /proc the figures are null.
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in 1/100 s on every architecture that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** @returns {Map<number, { parent: number, ticks: number }>} of every readable process */
function readProcesses() {
  const processes = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      // The program name, in parentheses, may contain any characters. Field numbers as in proc(5), which counts from 1.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const field = (/** @type {number} */ number) => Number(fields[number - 3]);
      // Includes the time of children that have exited.
      processes.set(Number(name), { parent: field(4), ticks: field(14) + field(15) + field(16) + field(17) });
    } catch {
      // The process has exited.
    }
  }
  return processes;
}

/** @param {number[]} roots @returns {number[]} the roots and all their descendants */
export function processTree(roots) {
  return membersOf(roots, readProcesses());
}

/** @param {number[]} roots @param {Map<number, { parent: number }>} processes */
function membersOf(roots, processes) {
  const members = new Set(roots.filter((pid) => processes.has(pid)));
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const [pid, { parent }] of processes) if (members.has(parent)) members.add(pid);
  }
  return [...members];
}

/** @param {number[]} roots @returns {number | null} user and system seconds of the trees since their start */
export function cpuSeconds(roots) {
  if (process.platform !== 'linux') return null;
  const processes = readProcesses();
  const ticks = membersOf(roots, processes).map((pid) => processes.get(pid)?.ticks ?? 0);
  return ticks.reduce((sum, own) => sum + own, 0) / TICKS_PER_SECOND;
}

/**
 * @param {number[]} roots
 * @returns {number | null} proportional set size in MiB, in which shared memory counts once
 */
export function memoryMiB(roots) {
  if (process.platform !== 'linux') return null;
  const kilobytes = processTree(roots).map((pid) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0);
    } catch {
      return 0;
    }
  });
  return kilobytes.reduce((sum, own) => sum + own, 0) / 1024;
}

/**
 * Waits until the processes are idle, so that work after a response counts for the run that caused it.
 * @param {number[]} roots @param {number} withinMs
 */
export async function untilIdle(roots, withinMs) {
  const end = performance.now() + withinMs;
  let quiet = 0;
  let before = cpuSeconds(roots) ?? 0;
  while (quiet < 2 && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const after = cpuSeconds(roots) ?? 0;
    quiet = after - before <= 0.03 ? quiet + 1 : 0;
    before = after;
  }
}
