import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('./clickhouse-front.mjs', import.meta.url));

export interface ClickhouseFront {
  /** Ends in no slash; a database may be appended. */
  url: string;
  pid: number;
  /** Ends the process; resolves when it is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/**
 * Starts `clickhouse-front.mjs` as a process of its own. With `path` its data stays there, so that it can be stopped and
 * started again; with `port` it comes back at the same address. It ends with us, because its standard input does.
 */
export async function startClickhouseFront(options: { path?: string; port?: number } = {}): Promise<ClickhouseFront> {
  const args = [SCRIPT];
  if (options.path !== undefined) args.push('--path', options.path);
  if (options.port !== undefined) args.push('--port', String(options.port));
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const exited = once(child, 'exit');
  const [url] = await Promise.race([
    once(lines, 'line') as Promise<string[]>,
    exited.then(([code]) => Promise.reject(new Error(`the ClickHouse front ended with ${String(code)}`))),
  ]);
  return {
    url,
    pid: child.pid ?? 0,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await exited;
    },
  };
}
