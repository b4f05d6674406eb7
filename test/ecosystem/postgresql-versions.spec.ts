import { execFile } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchPostgres } from '../../tools/postgresql.mjs';
import { startPostgres, type PostgresServer } from '../support/persistence/postgres-server.js';
import { postgresVersionSuite } from '../engines/postgres-version.suite.js';
import { emptyDataDir } from '../support/services/program.js';

const ROOT = new URL('../../', import.meta.url).pathname;

describe.each([14, 16, 17, 18] as const)('the service on PostgreSQL %i', (major) => {
  postgresVersionSuite(major, () => fetchPostgres(major));
});

describe('on PostgreSQL 13', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(await fetchPostgres(13));
  });
  afterAll(() => server?.stop());

  const relations = async (): Promise<unknown[]> => {
    const client = new pg.Client(server.url);
    await client.connect();
    const { rows } = await client.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1`,
    );
    await client.end();
    return rows as unknown[];
  };

  it.each([
    ['standalone', []],
    ['gateway', []],
    ['smtp', []],
    ['delivery', []],
    ['analytics', []],
    ['webhooks', []],
    ['relay', []],
    ['cli', ['accounts', 'list']],
  ])('%s stops with one sentence and writes nothing', async (program, args) => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: emptyDataDir(),
      DATABASE_URL: server.url,
      CLICKHOUSE_URL: 'http://127.0.0.1:1',
      KAFKA_BROKERS: '127.0.0.1:1',
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    const file = join(ROOT, `dist/programs/${program}.js`);
    const ended = await new Promise((resolve) =>
      execFile(process.execPath, [file, ...args], { env, timeout: 60_000 }, (error, _stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stderr }),
      ),
    );
    const sentence = 'PostgreSQL 13.23 is too old: this version needs PostgreSQL 14 or newer.\n';
    expect(ended).toEqual({ code: 1, stderr: sentence });
    expect(await relations()).toEqual([]);
  });
});
