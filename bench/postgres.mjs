// The PostgreSQL that the HTTP measurement runs on: the service's own embedded one, with the service's own settings.
import { mkdtempSync, chmodSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { stopOnce } from './children.mjs';

/** Wherever a database server is given by BENCH_DATABASE_URL, that one is used, and left running. */
const GIVEN = process.env.BENCH_DATABASE_URL;

export class BenchPostgres {
  /** @param {string} url @param {number} pid of the postmaster @param {() => Promise<void>} stop */
  constructor(url, pid, stop) {
    this.url = url;
    this.pid = pid;
    this.stop = stopOnce(stop);
  }

  static async start() {
    if (GIVEN) return new BenchPostgres(GIVEN, await postmasterOf(GIVEN), async () => undefined);
    const { EmbeddedPostgres } = await import('../dist/libs/persistence/src/index.js');
    const dataDir = mkdtempSync(join(tmpdir(), 'postloft-bench-pg-'));
    // The server may run as another user than we do.
    chmodSync(dataDir, 0o755);
    const postgres = await EmbeddedPostgres.start({ dataDir, log: () => undefined });
    return new BenchPostgres(postgres.url, await postmasterOf(postgres.url), async () => {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    });
  }

  /** @param {string} name @returns {Promise<string>} URL of a new, empty database */
  async createDatabase(name) {
    await onServer(this.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await onServer(this.url, `CREATE DATABASE ${name}`);
    const url = new URL(this.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  /** So that no run pays for the pages that the one before it wrote. */
  checkpoint() {
    return onServer(this.url, 'CHECKPOINT');
  }
}

/** @param {string} url @param {string} table @returns {Promise<number>} */
export async function countRows(url, table) {
  const { rows } = await onServer(url, `SELECT count(*)::int AS count FROM ${table}`);
  return rows[0].count;
}

/** @param {string} url @param {string} statement @param {unknown[]} [values] */
export async function onServer(url, statement, values) {
  const client = new pg.Client({ connectionString: url, application_name: 'bench' });
  await client.connect();
  try {
    return await client.query(statement, values);
  } finally {
    await client.end();
  }
}

/** Parent of the process that serves us; 0 where there is no /proc. @param {string} url @returns {Promise<number>} */
async function postmasterOf(url) {
  const client = new pg.Client({ connectionString: url, application_name: 'bench' });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const stat = await readFile(`/proc/${rows[0].pid}/stat`, 'latin1').catch(() => '0 (none) S 0');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } finally {
    await client.end();
  }
}
