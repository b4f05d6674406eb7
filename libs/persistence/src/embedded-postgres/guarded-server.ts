import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { serverEnvironment } from './cluster.js';
import { signal } from './previous-server.js';
import { commandFor, identityOf } from './server-account.js';
import type { ServerPlace } from './server-place.js';

/**
 * The shell between us and the server holds the reading end of a pipe. When we end in whatever way, `kill -9` included,
 * the pipe closes, `read` returns, and the server gets SIGINT (fast shutdown). It ends only after the server has.
 */
const GUARD = `exec 3<&0
"$@" 3<&- </dev/null &
p=$!
{ read _ <&3; kill -INT $p; } >/dev/null 2>&1 &
w=$!
trap 'kill -INT $p 2>/dev/null' INT TERM
while kill -0 $p 2>/dev/null; do wait $p; s=$?; done
kill $w 2>/dev/null
exit $s`;

const READY = 'ready to accept connections';
const IN_USE = /pre-existing shared memory block|lock file "postmaster.pid" already exists/;
const READY_MS = 60_000;
/** A fast shutdown writes a checkpoint; when that takes longer than this, the log alone must do. */
const PATIENCE_MS = 5_000;
const REMEMBERED_LINES = 20;

export interface ServerLaunch {
  place: ServerPlace;
  cluster: string;
  args: string[];
  log: (event: string, fields?: object) => void;
}

/** Another server still holds the cluster's memory: worth another try a little later. */
export class ClusterInUse extends Error {}

/** One run of the server program, from its start until it has ended. */
export class GuardedServer {
  /** Resolves when the server, or the shell that guards it, has ended for any reason. */
  readonly ended: Promise<void>;
  private readonly lastWords: string[] = [];
  private sayReady: () => void = () => undefined;

  private constructor(
    private readonly launch: ServerLaunch,
    private readonly guard: ChildProcess,
  ) {
    this.ended = new Promise((resolve) => {
      guard.once('exit', () => resolve());
      guard.once('error', (error) => {
        this.lastWords.push(error.message);
        resolve();
      });
    });
    guard.stdin?.on('error', () => undefined); // the shell may be gone before the pipe is closed
  }

  /** Resolves when the server accepts connections. */
  static async start(launch: ServerLaunch): Promise<GuardedServer> {
    const { account, binaries } = launch.place;
    const command = commandFor(account, [binaries.postgres, '-D', launch.cluster, ...launch.args]);
    const guard = spawn('/bin/sh', ['-c', GUARD, 'postgresql', ...command], {
      ...identityOf(account),
      cwd: '/',
      env: serverEnvironment(),
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true, // Ctrl-C in the terminal is for us; the server ends when we say so
    });
    const server = new GuardedServer(launch, guard);
    await server.untilReady();
    return server;
  }

  async stop(): Promise<void> {
    this.guard.stdin?.end();
    const late = setTimeout(() => signal(this.launch.cluster, 'SIGQUIT'), PATIENCE_MS);
    await this.ended;
    clearTimeout(late);
  }

  private async untilReady(): Promise<void> {
    const ready = new Promise<'ready'>((resolve) => {
      this.sayReady = () => resolve('ready');
    });
    if (this.guard.stderr) createInterface({ input: this.guard.stderr }).on('line', (line) => this.hear(line));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), READY_MS);
    });
    const outcome = await Promise.race([ready, late, this.ended]);
    clearTimeout(timer);
    if (outcome === 'ready') return;
    if (outcome === 'late') await this.stop();
    const words = this.lastWords.join('\n');
    const Failure = IN_USE.test(words) ? ClusterInUse : Error;
    throw new Failure(`The embedded PostgreSQL did not start: ${words || 'it said nothing'}`);
  }

  private hear(line: string): void {
    if (line.includes(READY)) this.sayReady();
    this.lastWords.push(line);
    if (this.lastWords.length > REMEMBERED_LINES) this.lastWords.shift();
    if (/^(WARNING|PANIC)/.test(line)) this.launch.log('PostgreSQL says', { line });
  }
}
