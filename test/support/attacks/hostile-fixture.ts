import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startStandalone, type RunningProgram } from '../services/program.js';

const HOSTILE = new URL('./hostile-clients.mjs', import.meta.url);
const HONEST = new URL('./honest-clients.mjs', import.meta.url);
const LOOP_LAG = new URL('./loop-lag.mjs', import.meta.url).pathname;
const KIB_PER_MIB = 1024;

/** In ms. */
export interface Waits {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

/** What the honest clients saw since they were last asked; `failures` are replies that they should not have got. */
export interface Honest {
  ehlo: Waits;
  mail: Waits;
  failures: string[];
}

/** A running program, two honest clients beside it, and as many hostile ones as a test wants, each in its own process. */
export class HostileFixture {
  private readonly children = new Set<ChildProcess>();

  private constructor(
    readonly program: RunningProgram,
    private readonly lagFile: string,
  ) {}

  static async open(env: Record<string, string> = {}): Promise<HostileFixture> {
    // The program begins in its data directory.
    const lag = { NODE_OPTIONS: `--import=${LOOP_LAG}`, LOOP_LAG_FILE: 'loop-lag.json' };
    const program = await startStandalone({ ...lag, ...env });
    return new HostileFixture(program, join(program.dataDir, 'loop-lag.json'));
  }

  /** Runs an attack of `hostile-clients.mjs` to its end; the process goes with the fixture. */
  async attack<T>(name: string, options: Record<string, unknown> = {}): Promise<T> {
    const child = this.fork(HOSTILE, { name, ...options });
    const died = once(child, 'exit').then(([code]) => {
      throw new Error(`the attack "${name}" ended with ${String(code)}`);
    });
    died.catch(() => undefined);
    const [result] = (await Promise.race([once(child, 'message'), died])) as [T];
    if (name !== 'idle') child.disconnect();
    return result;
  }

  /** Starts the honest clients; gives what they see from one call of the returned function to the next. */
  honest(): () => Promise<Honest> {
    const child = this.fork(HONEST, {});
    return async () => {
      child.send('take');
      const [{ waits, failures }] = (await once(child, 'message')) as [
        { waits: Record<'ehlo' | 'mail', number[]>; failures: string[] },
      ];
      return { ehlo: waitsOf(waits.ehlo), mail: waitsOf(waits.mail), failures };
    };
  }

  /** How long the program's event loop was held at the most since the last call, in ms. */
  loopLag(): number {
    if (!existsSync(this.lagFile)) return 0;
    const { max } = JSON.parse(readFileSync(this.lagFile, 'utf8')) as { max: number };
    rmSync(this.lagFile, { force: true });
    return Math.round(max);
  }

  /** Resident memory in MiB; `peak` since the start. */
  memory(): { now: number; peak: number } {
    const status = readFileSync(`/proc/${this.program.pid}/status`, 'utf8');
    const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / KIB_PER_MIB;
    return { now: Math.round(read('VmRSS')), peak: Math.round(read('VmHWM')) };
  }

  async close(): Promise<void> {
    for (const child of this.children) child.kill();
    await this.program.stop();
    this.program.clean();
  }

  private fork(script: URL, options: Record<string, unknown>): ChildProcess {
    const { ports, key } = this.program;
    const child = fork(script, [JSON.stringify({ ...ports, key, ...options })]);
    this.children.add(child);
    child.once('exit', () => this.children.delete(child));
    return child;
  }
}

/** The waits of somebody who asks `url` again and again while `during` runs. */
export async function waitsDuring(url: string, during: () => Promise<void>): Promise<Waits> {
  const client = fork(HONEST, [JSON.stringify({ url })]);
  const exited = once(client, 'exit');
  const failed = exited.then(([code]) => Promise.reject(new Error(`the honest client ended with ${String(code)}`)));
  try {
    await Promise.race([during(), failed]);
    const taken = once(client, 'message') as Promise<[{ waits: { get: number[] } }]>;
    client.send('take');
    const [{ waits }] = await Promise.race([taken, failed]);
    return waitsOf(waits.get);
  } finally {
    failed.catch(() => undefined);
    if (client.connected) client.disconnect();
    await exited;
  }
}

function waitsOf(waits: number[]): Waits {
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN) * 10) / 10;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
