import pg from 'pg';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { acquireDataDir, EmbeddedPostgres } from '../../libs/persistence/src/embedded-postgres/index.js';
import { copyPreparedDataDir } from '../support/services/prepared-data-dir.js';
import { runningServer } from '../../libs/persistence/src/embedded-postgres/stale-server.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
let dataDir: string;
let bundles: string;
let running: EmbeddedPostgres[] = [];
let children: ChildProcess[] = [];

beforeAll(async () => {
  // The programs that are killed below run as plain Node.js processes, so they need this folder as JavaScript.
  mkdirSync(join(ROOT, '.tools'), { recursive: true });
  bundles = mkdtempSync(join(ROOT, '.tools', 'embedded-postgres-'));
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    build: {
      ssr: fileURLToPath(new URL('../../libs/persistence/src/embedded-postgres/index.ts', import.meta.url)),
      outDir: bundles,
      minify: false,
    },
  });
  writeFileSync(
    join(bundles, 'program.mjs'),
    `import { acquireDataDir, EmbeddedPostgres } from './index.js';
     await acquireDataDir(process.argv[2]);
     const postgres = await EmbeddedPostgres.start({ dataDir: process.argv[2], log: () => undefined });
     process.on('SIGTERM', () => postgres.stop().then(() => process.exit(0)));
     console.log(postgres.url);`,
  );
});
afterAll(() => rmSync(bundles, { recursive: true, force: true }));

beforeEach(() => {
  dataDir = copyPreparedDataDir();
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(running.map((postgres) => postgres.stop()));
  await serverGone();
  running = [];
  children = [];
  rmSync(dataDir, { recursive: true, force: true });
});

/** In place of the prepared data directory: a start then makes the database. */
function emptyDataDir(): void {
  rmSync(join(dataDir, 'postgres'), { recursive: true, force: true });
}

const cluster = () => join(dataDir, 'postgres', 'cluster');

async function start(): Promise<EmbeddedPostgres> {
  const postgres = await EmbeddedPostgres.start({ dataDir, log: () => undefined });
  running.push(postgres);
  return postgres;
}

async function startProgram(): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [join(bundles, 'program.mjs'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, url };
}

async function ask<R extends object>(url: string, sql: string): Promise<R[]> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function serverGone(withinMs = 15_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (runningServer(cluster()) !== null && Date.now() < deadline) await sleep(20);
  expect(runningServer(cluster())).toBeNull();
}

it('creates a durable database at the first start', async () => {
  emptyDataDir();
  const postgres = await start();
  const [row] = await ask<Record<string, string>>(
    postgres.url,
    `SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('server_encoding') AS encoding,
       current_setting('data_checksums') AS checksums, current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS commit, current_setting('listen_addresses') AS addresses,
       (SELECT datlocale FROM pg_database WHERE datname = current_database()) AS locale,
       (SELECT left(rolpassword, 13) FROM pg_authid WHERE rolname = current_user) AS password`,
  );
  expect(row).toEqual({
    major: 18,
    encoding: 'UTF8',
    checksums: 'on',
    fsync: 'on',
    commit: 'on',
    addresses: '',
    locale: 'C.UTF-8',
    password: 'SCRAM-SHA-256',
  });
  expect(statSync(join(dataDir, 'postgres', 'password')).mode & 0o777).toBe(0o600);
});

it('takes the data directory and its folders from other users, without cutting off the one that runs the database', async () => {
  emptyDataDir();
  mkdirSync(join(dataDir, 'chdb'), { recursive: true });
  chmodSync(join(dataDir, 'chdb'), 0o755);
  chmodSync(dataDir, 0o777);
  const { url } = await start();
  expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  const mode = (...path: string[]) => (statSync(join(dataDir, ...path)).mode & 0o777).toString(8);
  expect(mode()).toBe(process.geteuid?.() === 0 ? '711' : '700');
  expect([mode('chdb'), mode('postgres'), mode('postgres', 'cluster')]).toEqual(['700', '700', '700']);
});

it('rejects a wrong password', async () => {
  const { url } = await start();
  await expect(ask(url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(/password authentication failed/);
});

it('keeps the data after a stop, which leaves no process', async () => {
  const first = await start();
  await ask(first.url, 'CREATE TABLE kept (n int)');
  await first.stop();
  expect(runningServer(cluster())).toBeNull();
  const second = await start();
  expect(await ask(second.url, 'SELECT * FROM kept')).toEqual([]);
});

it('restarts the server when it ends unexpectedly', async () => {
  const { url } = await start();
  await ask(url, 'CREATE TABLE kept (n int)');
  const before = runningServer(cluster());
  process.kill(before!, 'SIGKILL');
  const deadline = Date.now() + 10_000;
  while ([before, null].includes(runningServer(cluster())) && Date.now() < deadline) await sleep(50);
  await expect.poll(() => ask(url, 'SELECT * FROM kept').catch(() => null), { timeout: 10_000 }).toEqual([]);
});

it('leaves no server behind when its process is killed, and the next one finds the data', async () => {
  const { child, url } = await startProgram();
  await ask(url, 'CREATE TABLE kept AS SELECT 42 AS n');
  child.kill('SIGKILL');
  await serverGone();
  const next = await start();
  expect(await ask(next.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
});

it('starts at once after a kill while the old server still stops', async () => {
  const { child, url } = await startProgram();
  await ask(url, 'CREATE TABLE kept AS SELECT 42 AS n');
  child.kill('SIGKILL');
  const next = await start();
  expect(await ask(next.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
});

it('stops a server without a supervisor instead of using it', async () => {
  const { child, url } = await startProgram();
  await ask(url, 'CREATE TABLE kept AS SELECT 42 AS n');
  const orphan = runningServer(cluster())!;
  const guard = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${orphan}/status`, 'utf8'))![1]);
  // First we are stopped, so that the program cannot start a second server; then its guard and it are killed.
  child.kill('SIGSTOP');
  const watcher = Number(readFileSync(`/proc/${guard}/task/${guard}/children`, 'utf8').trim().split(' ').at(-1));
  process.kill(watcher, 'SIGKILL');
  process.kill(guard, 'SIGKILL');
  child.kill('SIGKILL');
  await sleep(200);
  expect(runningServer(cluster())).toBe(orphan);
  const next = await start();
  expect(runningServer(cluster())).not.toBe(orphan);
  expect(await ask(next.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
});

it('refuses a second start on a data directory in use, and takes it after a kill', async () => {
  const { child } = await startProgram();
  await expect(acquireDataDir(dataDir)).rejects.toThrow(`already running as process ${child.pid}`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  (await acquireDataDir(dataDir)).release();
});

it('ends with its process on SIGTERM', async () => {
  const { child } = await startProgram();
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(runningServer(cluster())).toBeNull();
});

it('discards an interrupted first start', async () => {
  emptyDataDir();
  mkdirSync(join(dataDir, 'postgres', 'cluster.new', 'base'), { recursive: true });
  writeFileSync(join(dataDir, 'postgres', 'password'), 'old');
  const { url } = await start();
  expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(existsSync(join(dataDir, 'postgres', 'cluster.new'))).toBe(false);
});

it.runIf(process.geteuid?.() === 0)('runs for root in a folder that only root can enter', async () => {
  emptyDataDir();
  chmodSync(dataDir, 0o700);
  const { url } = await start();
  expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

it('connects to a data directory with a long, unusual name through a short socket path', async () => {
  const base = dataDir;
  dataDir = join(base, `a "quoted" ${'ü'.repeat(50)}`);
  mkdirSync(dataDir);
  const { url } = await start();
  expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await running.pop()!.stop();
  dataDir = base;
});
