import { readFileSync } from 'node:fs';
import type { Log } from '#libs/kernel';

/** Connections that the relay is made to hold beside a hundred busy ones (promises R-44), with as many again in reserve. */
const WANTED = 20_000;
/** Files and sockets that the rest of the process has open: database, deliveries, logs. */
const OTHERS = 1_000;

/** How many connections this process can hold; says so where the system allows fewer files than they need. */
export function connectionLimit(log: Log): number {
  const files = openFiles();
  if (files >= WANTED + OTHERS) return WANTED;
  const limit = Math.max(files - OTHERS, Math.floor(files / 2));
  log.info('the system limits open files, and with them smtp connections', { open_files: files, connections: limit });
  return limit;
}

/** The process's own limit, which Node.js raises to the hard one when it starts; Infinity where it cannot be known. */
function openFiles(): number {
  try {
    const line = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return Number(line?.[1] ?? NaN) || Infinity;
  } catch {
    return Infinity;
  }
}
