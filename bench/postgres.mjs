// The PostgreSQL server of the measurements: the embedded server of the service, with the same settings.
import { mkdtempSync, chmodSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { stopOnce } from './children.mjs';

/** A given server is used instead of the embedded one, and not stopped. */
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
    const { EmbeddedPostgres } = await import('../dist/libs/persistence/src/embedded-postgres/index.js');
    const dataDir = mkdtempSync(join(tmpdir(), 'postloft-bench-pg-'));
    // The server may run as another user.
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

  /** Writes out all pages, so that no run pays for the one before it. */
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

/** The parent of the backend process of the connection; 0 without /proc. @param {string} url @returns {Promise<number>} */
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
