import { randomBytes } from 'node:crypto';
import { loadConfig, Log, type Config, type Program } from '#libs/kernel';
import { migrate } from '#libs/persistence';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../../libs/persistence/src/persistence.module.js';

/** A migrated database of its own. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

const log = Log.quiet();
/** Of the server that the global set-up started; on another server each worker makes one of its own. */
let template: Promise<string> | undefined = templateOfSetup();

/** Settings of a program on the database `url`; `more` are further settings as the environment would write them. */
export function testConfig(url: string, more: Record<string, string> = {}, program: Program = 'delivery'): Config {
  return loadConfig(program, {
    DATABASE_URL: url,
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    LOG_LEVEL: 'error',
    ...more,
  });
}

/** A copy of the migrated database. */
export async function freshDatabase(server: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  template ??= migratedTemplate(server);
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${await template}`);
  // Commits do not wait for the disk: no test survives a crash of this server.
  await onServer(server, `ALTER DATABASE ${name} SET synchronous_commit = off`);
  return {
    url: onDatabase(server, name),
    drop: () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** A migrated database whose commits survive a crash of its server. */
export async function durableDatabase(server: string): Promise<TestDatabase> {
  const name = await migratedTemplate(server);
  return { url: onDatabase(server, name), drop: () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

function templateOfSetup(): Promise<string> | undefined {
  const name = process.env['TEST_DATABASE_TEMPLATE'];
  return name === undefined ? undefined : Promise.resolve(name);
}

async function migratedTemplate(server: string): Promise<string> {
  const name = `template_${randomBytes(6).toString('hex')}`;
  await onServer(server, `CREATE DATABASE ${name}`);
  const dataSource = await new DataSource(dataSourceOptions(testConfig(onDatabase(server, name)), log)).initialize();
  await migrate(dataSource);
  await dataSource.destroy();
  return name;
}

function onDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
