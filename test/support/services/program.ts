import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePorts } from './ports.js';
import { copyPreparedDataDir } from './prepared-data-dir.js';
import { countStart } from './host-client.js';
import { until } from '../timing/until.js';

export const API_KEY = 'test-key-0123456789-abcdefghij-KLMNOP';
const ROOT = new URL('../../../', import.meta.url).pathname;
/** Of package.json, which every program tells. */
export const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
/** The programs are executed as `npm start` does, with the Node.js that runs the tests. */
const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;

/** `fetch` with an account's key and JSON. */
export type Caller = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Response>;

/** The same, with the body of the answer. @throws unless the answer is a success. */
export type JsonCaller = <T>(...request: Parameters<Caller>) => Promise<T>;

/** The service from outside, in whatever topology. */
export interface RunningService {
  url: string;
  key: string;
  call: Caller;
  json: JsonCaller;
  stop(): Promise<number | null>;
  /** Removes what it kept; call it last. */
  clean(): void;
}

export interface RunningProgram extends RunningService {
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

interface LaunchOptions {
  /** Where the program answers when it is ready. */
  readyUrl?: string;
  /** Takes all output, for a program that outlives the process that started it; `output` then reads its end. */
  logFile?: string;
  /** What the start is called where starts are counted. */
  label?: string;
  /** The folder that contains `dist`; default: this checkout. */
  root?: string;
}

/** Starts the standalone program on free ports, and on a data directory that was prepared but never used. */
export async function startStandalone(
  env: Record<string, string> = {},
  options: LaunchOptions = {},
): Promise<RunningProgram> {
  return launch(
    'standalone',
    { ...(await standaloneEnv(copyPreparedDataDir())), BOOTSTRAP_API_KEY: API_KEY, ...env },
    options,
  );
}

/** Settings of a standalone program that nobody has started yet, without an API key. */
export async function standaloneEnv(dataDir: string): Promise<Record<string, string>> {
  const [http, smtp, smtps, inbound] = await freePorts(4);
  return {
    DATA_DIR: dataDir,
    HTTP_PORT: String(http),
    SMTP_PORT: String(smtp),
    SMTPS_PORT: String(smtps),
    INBOUND_SMTP_PORT: String(inbound),
    ALLOW_PRIVATE_WEBHOOKS: 'true',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_FORMAT: 'json',
  };
}

/** The embedded database runs as a user of its own, who must be able to enter the directory. */
export function emptyDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'postloft-system-'));
  chmodSync(dataDir, 0o755);
  return dataDir;
}

/** Three seconds on an idle machine; the rest is for machines that do other work. */
const READY_WITHIN_MS = 100_000;

/** Starts one program with exactly these settings and waits until it is ready. */
export async function launch(
  program: string,
  env: Record<string, string>,
  options: LaunchOptions = {},
): Promise<RunningProgram> {
  await countStart(options.label ?? program);
  const { child, output } = spawnProgram(program, env, options);
  const running = describe(child, env, output);
  const end = () => child.exitCode ?? child.signalCode;
  await until(async () => (await fetch(options.readyUrl ?? `${running.url}/readyz`)).status === 200, {
    withinMs: READY_WITHIN_MS,
    what: `${program} to be ready`,
    hopeless: () => (end() === null ? null : `it ended with ${end()}`),
  }).catch(async (error: Error) => {
    await running.kill();
    throw new Error(`${error.message}\n${output().slice(-4_000)}`);
  });
  return running;
}

function spawnProgram(
  program: string,
  env: Record<string, string>,
  { logFile, root = ROOT }: LaunchOptions,
): { child: ChildProcess; output: () => string } {
  const log = logFile === undefined ? ('pipe' as const) : openSync(logFile, 'a');
  const child = spawn(join(root, `dist/programs/${program}.js`), {
    cwd: env['DATA_DIR'],
    env: { PATH, HOME: process.env['HOME'] ?? '/', ...env },
    stdio: ['ignore', log, log],
    detached: true,
  });
  if (logFile !== undefined) return { child, output: () => readFileSync(logFile, 'utf8') };
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-200_000)));
  return { child, output: () => output };
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
    ...callersOf(url, key),
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

/** Ask a service as the account that has the key. */
export function callersOf(url: string, key: string): { call: Caller; json: JsonCaller } {
  const call: Caller = (...[method, path, body, headers = {}]) =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const json: JsonCaller = async (...request) => {
    const answer = await call(...request);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${request.slice(0, 2).join(' ')} was answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  };
  return { call, json };
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
