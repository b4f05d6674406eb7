import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyDataDir } from '../../support/services/program.js';
import { KNOWN_MIGRATIONS } from '../../../libs/persistence/src/migrate.js';
import { EmbeddedPostgres } from '../../../libs/persistence/src/embedded-postgres/index.js';

const ROOT = new URL('../../../', import.meta.url).pathname;
const DEVELOPMENT = ['FirstWalk1700000000001', 'NoStatistics1700000000024'];
const NEWER = [...KNOWN_MIGRATIONS, 'Later1799999999999'];
const SENTENCES = {
  development:
    'The database was made by a development version (schema NoStatistics1700000000024) that this version cannot read. ' +
    'To keep the data, start the version that made it; to drop it, start with an empty DATA_DIR or database.\n',
  newer:
    'The database was made by a newer version (schema Later1799999999999) that this version cannot use. ' +
    'Start the newer version, or restore a backup from before the upgrade.\n',
};

let dataDir: string;
let server: EmbeddedPostgres;

beforeAll(async () => {
  dataDir = emptyDataDir();
  server = await EmbeddedPostgres.start({ dataDir, log: () => undefined });
  await makeDatabase('development', DEVELOPMENT);
  await makeDatabase('newer', NEWER);
});
afterAll(async () => {
  await server?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function urlOf(database: string): string {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return url.href;
}

async function query(database: string, ...statements: string[]): Promise<unknown[]> {
  const client = new pg.Client(database === '' ? server.url : urlOf(database));
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** As TypeORM records migrations. */
async function makeDatabase(name: string, migrations: string[]): Promise<void> {
  await query('', `CREATE DATABASE ${name}`);
  await query(
    name,
    'CREATE TABLE schema_migrations (id serial PRIMARY KEY, timestamp bigint NOT NULL, name varchar NOT NULL)',
    ...migrations.map(
      (migration) => `INSERT INTO schema_migrations (timestamp, name) VALUES (${migration.slice(-13)}, '${migration}')`,
    ),
  );
}

function run(program: string, args: string[], database: string): Promise<{ code: unknown; stderr: string }> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: join(dataDir, program),
    DATABASE_URL: urlOf(database),
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    KAFKA_BROKERS: '127.0.0.1:1',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  return new Promise((resolve) => {
    const file = join(ROOT, `dist/programs/${program}.js`);
    execFile(process.execPath, [file, ...args], { env, timeout: 60_000 }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? null, stderr }),
    );
  });
}

const tables = (database: string) =>
  query(database, `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`);

const PROGRAMS = [
  ...['standalone', 'gateway', 'smtp', 'delivery', 'analytics', 'webhooks', 'relay'].map((program) => ({
    program,
    args: [],
  })),
  { program: 'cli', args: ['accounts', 'list'] },
];

/** All programs judge the schema by one function: one of them suffices for the second version. */
const CASES = [
  ...PROGRAMS.map((one) => ({ version: 'newer' as const, ...one })),
  ...PROGRAMS.filter(({ program }) => program === 'standalone').map((one) => ({
    version: 'development' as const,
    ...one,
  })),
];

describe.each(CASES)('on a database of a $version version, $program', ({ version, program, args }) => {
  it('stops with one sentence and writes nothing', async () => {
    const before = await tables(version);
    expect(await run(program, args, version)).toEqual({ code: 1, stderr: SENTENCES[version] });
    expect(await tables(version)).toEqual(before);
    expect(await query(version, 'SELECT name FROM schema_migrations ORDER BY id')).toEqual(
      (version === 'newer' ? NEWER : DEVELOPMENT).map((name) => ({ name })),
    );
  });
});
