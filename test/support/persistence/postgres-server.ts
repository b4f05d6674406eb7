import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { unprivilegedUser } from '../../../libs/persistence/src/embedded-postgres/server-user.js';
import { freePorts } from '../services/ports.js';
import { until } from '../timing/until.js';

/** A PostgreSQL server of any version on a new cluster and a free port of loopback. */
export interface PostgresServer {
  /** Of the database `postgres`. */
  url: string;
  stop(): Promise<void>;
}

/** @param bin folder with `initdb` and `postgres` */
export async function startPostgres(bin: string, settings: Record<string, string> = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'postloft-postgres-'));
  // PostgreSQL refuses to run as root.
  const user = process.geteuid?.() === 0 ? unprivilegedUser() : null;
  const identity = user === null ? {} : { uid: user.uid, gid: user.gid };
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' };
  const init = ['-D', data, '-U', 'operator', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(join(bin, 'initdb'), init, { ...identity, cwd: '/', env });
  const [port] = await freePorts(1);
  const all = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '', ...settings };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...args], { ...identity, cwd: '/', env, stdio: 'ignore' });
  const url = `postgres://operator@127.0.0.1:${port}/postgres`;
  const stop = async () => {
    await end(server);
    rmSync(folder, { recursive: true, force: true });
  };
  await until(() => answers(url), { what: 'PostgreSQL to answer', withinMs: 60_000 }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, stop };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** By a fast shutdown. */
async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGINT');
  await ended;
}
