import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './ports.js';
import { until } from './until.js';

export const API_KEY = 'test-key-0123456789-abcdefghij-KLMNOP';
const ROOT = new URL('../../', import.meta.url).pathname;
/** Node's options in `npm start`. */
const FLAGS = npmStart().match(/(?<= )--\S+/g) ?? [];

function npmStart(): string {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
  return scripts.start;
}

/** The service from outside, in whatever topology. */
export interface House {
  url: string;
  key: string;
  /** `fetch` with the first account's key and JSON. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  stop(): Promise<number | null>;
  /** Removes what it kept; call it last. */
  clean(): void;
}

export interface RunningProgram extends House {
  dataDir: string;
  ports: { http: number; smtp: number; smtps: number; inbound: number };
  pid: number;
  env: Record<string, string>;
  output(): string;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL of the whole process group. */
  kill(): Promise<void>;
  /** Starts again on the same data directory and ports. */
  restart(env?: Record<string, string>): Promise<RunningProgram>;
}

/** Starts the standalone program as a user would, on a new data directory and free ports. */
export async function startStandalone(env: Record<string, string> = {}): Promise<RunningProgram> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postloft-e2e-'));
  chmodSync(dataDir, 0o755);
  const [http, smtp, smtps, inbound] = await freePorts(4);
  return launch('standalone', {
    DATA_DIR: dataDir,
    HTTP_PORT: String(http),
    SMTP_PORT: String(smtp),
    SMTPS_PORT: String(smtps),
    INBOUND_SMTP_PORT: String(inbound),
    BOOTSTRAP_API_KEY: API_KEY,
    ALLOW_PRIVATE_WEBHOOKS: 'true',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_FORMAT: 'json',
    ...env,
  });
}

/** Three seconds on an idle machine; ten times as much where others build and test beside it. */
const READY_WITHIN_MS = 100_000;

/** Starts one program with exactly these settings and waits until it is ready. */
export async function launch(program: string, env: Record<string, string>, readyUrl?: string): Promise<RunningProgram> {
  const child = spawn(process.execPath, [...FLAGS, join(ROOT, `dist/programs/${program}.js`)], {
    cwd: env['DATA_DIR'],
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', UV_THREADPOOL_SIZE: '16', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-200_000)));
  const running = describe(child, env, () => output);
  const end = () => child.exitCode ?? child.signalCode;
  await until(async () => (await fetch(readyUrl ?? `${running.url}/readyz`)).status === 200, {
    withinMs: READY_WITHIN_MS,
    what: `${program} to be ready`,
    hopeless: () => (end() === null ? null : `it ended with ${end()}`),
  }).catch(async (error: Error) => {
    await running.kill();
    throw new Error(`${error.message}\n${output.slice(-4_000)}`);
  });
  return running;
}

function describe(child: ChildProcess, env: Record<string, string>, output: () => string): RunningProgram {
  const url = `http://127.0.0.1:${env['HTTP_PORT']}`;
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const key = env['BOOTSTRAP_API_KEY'] ?? '';
  const pid = child.pid as number;
  return {
    url,
    key,
    pid,
    env,
    output,
    dataDir: env['DATA_DIR'],
    ports: {
      http: Number(env['HTTP_PORT']),
      smtp: Number(env['SMTP_PORT']),
      smtps: Number(env['SMTPS_PORT']),
      inbound: Number(env['INBOUND_SMTP_PORT']),
    },
    call: (method, path, body, headers = {}) =>
      fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
    kill: async () => {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // Already gone.
      }
      await ended;
    },
    restart: (more = {}) => launch('standalone', { ...env, ...more }),
    clean: () => rmSync(env['DATA_DIR'], { recursive: true, force: true }),
  };
}

/** Processes of this machine whose command line or working directory names `dataDir`. */
export function processesOn(dataDir: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const file = `/proc/${name}/cmdline`;
      if (!existsSync(file)) return [];
      try {
        const command = readFileSync(file, 'utf8').replaceAll('\0', ' ');
        return command.includes(dataDir) ? [{ pid: Number(name), command }] : [];
      } catch {
        return [];
      }
    });
}
