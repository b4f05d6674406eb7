// CPU time and memory of whole process trees, from /proc. Where there is no /proc the figures are null.
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in 1/100 s on every architecture that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** @returns {Map<number, { parent: number, ticks: number }>} of every process that can be read right now */
function readProcesses() {
  const processes = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      // The name of the program, in brackets, may hold anything. Fields as in proc(5), which counts from 1.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const field = (/** @type {number} */ number) => Number(fields[number - 3]);
      // Own time and that of children that have ended: what a worker used is not lost with it.
      processes.set(Number(name), { parent: field(4), ticks: field(14) + field(15) + field(16) + field(17) });
    } catch {
      // It ended in the meantime.
    }
  }
  return processes;
}

/** @param {number[]} roots @returns {number[]} the roots and everything that descends from them */
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
 * @returns {number | null} proportional set size in MiB: memory that several processes share counts once
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
 * Waits until the trees have nothing left to do, so that work which follows an answer counts for who caused it.
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
