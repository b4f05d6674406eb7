import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { serverEnvironment } from './cluster.js';
import { signalServer } from './stale-server.js';
import { commandFor, spawnIdentity } from './server-user.js';
import type { ServerDirectory } from './server-directory.js';

/**
 * A shell between this process and the server holds the reading end of a pipe. When this process ends in any way, including
 * `kill -9`, the pipe closes, `read` returns, and the server gets SIGINT (fast shutdown). The shell exits after the server.
 */
const SUPERVISOR = `exec 3<&0
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
/** A fast shutdown writes a checkpoint. After this time the server is stopped without one. */
const FAST_SHUTDOWN_MS = 5_000;
const MAX_LOG_LINES = 20;

export interface ServerOptions {
  directory: ServerDirectory;
  cluster: string;
  args: string[];
  log: (event: string, fields?: object) => void;
}

/** Another server still holds the shared memory of the cluster: a later attempt may succeed. */
export class ClusterInUseError extends Error {}

/** One run of the server program. */
export class SupervisedServer {
  /** Resolves when the server or its supervisor has ended for any reason. */
  readonly ended: Promise<void>;
  private readonly lastLines: string[] = [];
  private onReady: () => void = () => undefined;

  private constructor(
    private readonly options: ServerOptions,
    private readonly supervisor: ChildProcess,
  ) {
    this.ended = new Promise((resolve) => {
      supervisor.once('exit', () => resolve());
      supervisor.once('error', (error) => {
        this.lastLines.push(error.message);
        resolve();
      });
    });
    supervisor.stdin?.on('error', () => undefined); // the shell may end before the pipe is closed
  }

  /** Resolves when the server accepts connections. */
  static async start(options: ServerOptions): Promise<SupervisedServer> {
    const { user, binaries } = options.directory;
    const command = commandFor(user, [binaries.postgres, '-D', options.cluster, ...options.args]);
    const supervisor = spawn('/bin/sh', ['-c', SUPERVISOR, 'postgresql', ...command], {
      ...spawnIdentity(user),
      cwd: '/',
      env: serverEnvironment(),
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true, // Ctrl-C in the terminal must reach this process only, which then stops the server
    });
    const server = new SupervisedServer(options, supervisor);
    await server.untilReady();
    return server;
  }

  async stop(): Promise<void> {
    this.supervisor.stdin?.end();
    const late = setTimeout(() => signalServer(this.options.cluster, 'SIGQUIT'), FAST_SHUTDOWN_MS);
    await this.ended;
    clearTimeout(late);
  }

  private async untilReady(): Promise<void> {
    const ready = new Promise<'ready'>((resolve) => {
      this.onReady = () => resolve('ready');
    });
    if (this.supervisor.stderr)
      createInterface({ input: this.supervisor.stderr }).on('line', (line) => this.readLine(line));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), READY_MS);
    });
    const outcome = await Promise.race([ready, late, this.ended]);
    clearTimeout(timer);
    if (outcome === 'ready') return;
    if (outcome === 'late') await this.stop();
    const output = this.lastLines.join('\n');
    const StartError = IN_USE.test(output) ? ClusterInUseError : Error;
    throw new StartError(`The embedded PostgreSQL did not start: ${output || 'it wrote nothing to its log'}`);
  }

  private readLine(line: string): void {
    if (line.includes(READY)) this.onReady();
    this.lastLines.push(line);
    if (this.lastLines.length > MAX_LOG_LINES) this.lastLines.shift();
    if (/^(WARNING|PANIC)/.test(line)) this.options.log('PostgreSQL log', { line });
  }
}
