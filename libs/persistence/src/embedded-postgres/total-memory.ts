import os from 'node:os';

/** Bytes of memory that this process and its children may have: the machine's, or less where a container is limited. */
export function totalMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
}
