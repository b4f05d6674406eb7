import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Stops the embedded PostgreSQL server and its children, as a hung disk does. The returned function continues them. */
export function hangDatabase(dataDir: string): () => void {
  const processes = databaseProcesses(dataDir);
  for (const pid of processes) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of processes) process.kill(pid, 'SIGCONT');
  };
}

function databaseProcesses(dataDir: string): number[] {
  const [line] = readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n');
  const server = Number(line);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === server);
  return [server, ...children];
}

/** Null for a process that has ended. */
function parentOf(pid: number): number | null {
  try {
    // The name of the program, in parentheses, may have spaces.
    const [, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    return Number(fields.join(') ').split(' ')[1]);
  } catch {
    return null;
  }
}
