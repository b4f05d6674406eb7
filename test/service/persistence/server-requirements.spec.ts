import { randomBytes } from 'node:crypto';
import { Log } from '#libs/kernel';
import { migrate } from '#libs/persistence';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testConfig } from '../../support/persistence/database.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';
import { dataSourceOptions } from '../../../libs/persistence/src/persistence.module.js';

const suffix = randomBytes(6).toString('hex');
const [ROLE, EMPTY, LATIN] = ['limited', 'empty', 'latin'].map((name) => `${name}_${suffix}`);

/** A start as a database user with few rights, on a new database and on a migrated one. */
describe('a database that the service cannot use', () => {
  let migrated: OpenTestDatabase;

  beforeAll(async () => {
    migrated = await createTestDatabase();
    await run('', `CREATE ROLE ${ROLE} LOGIN PASSWORD 'x'`, `CREATE DATABASE ${EMPTY}`);
    await run('', `CREATE DATABASE ${LATIN} TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'`);
  });
  afterEach(async () => {
    await run('', `ALTER DATABASE ${EMPTY} RESET ALL`);
    for (const database of [EMPTY, nameOf(migrated)])
      await run(
        database,
        'REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC',
        'REVOKE ALL ON SCHEMA public FROM PUBLIC',
        'GRANT USAGE ON SCHEMA public TO PUBLIC',
      );
  });
  afterAll(async () => {
    for (const database of [EMPTY, LATIN]) await run('', `DROP DATABASE ${database} WITH (FORCE)`);
    await migrated?.close();
    await run('', `DROP ROLE ${ROLE}`);
  });

  const nameOf = ({ url }: OpenTestDatabase) => new URL(url).pathname.slice(1);

  function urlOf(database: string, user?: string): string {
    const url = new URL(process.env['TEST_DATABASE_URL'] ?? '');
    if (database !== '') url.pathname = `/${database}`;
    if (user !== undefined) Object.assign(url, { username: user, password: 'x' });
    return url.href;
  }

  async function run(database: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(urlOf(database));
    await client.connect();
    try {
      let rows: Record<string, unknown>[] = [];
      for (const statement of statements) ({ rows } = await client.query(statement));
      return rows;
    } finally {
      await client.end();
    }
  }

  async function start(database: string, user: string | undefined = ROLE): Promise<void> {
    const options = dataSourceOptions(testConfig(urlOf(database, user)), Log.quiet());
    const dataSource = await new DataSource(options).initialize();
    try {
      await migrate(dataSource);
    } finally {
      await dataSource.destroy();
    }
  }

  const relations = (database: string) =>
    run(database, `SELECT relname, relacl::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1`);

  async function expectRefused(database: string, sentence: string, user?: string): Promise<void> {
    const before = await relations(database);
    await expect(start(database, user)).rejects.toThrow(sentence);
    expect(await relations(database)).toEqual(before);
  }

  it('is refused without the right to create tables', async () => {
    await expectRefused(
      EMPTY,
      `The database user ${ROLE} may not create tables in ${EMPTY}: GRANT CREATE ON SCHEMA public TO ${ROLE}.`,
    );
  });

  it('is refused without a schema', async () => {
    await run(EMPTY, 'REVOKE USAGE ON SCHEMA public FROM PUBLIC');
    await expectRefused(EMPTY, `The search_path of the database user ${ROLE} names no schema of ${EMPTY} that exists`);
  });

  it('is refused without the rights to use the tables', async () => {
    await expectRefused(
      nameOf(migrated),
      `The database user ${ROLE} may not read and write the table accounts: GRANT `,
    );
    await run(nameOf(migrated), 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO PUBLIC');
    await run(nameOf(migrated), 'REVOKE DELETE ON outbox FROM PUBLIC');
    await expectRefused(nameOf(migrated), `may not read and write the table outbox: GRANT `);
  });

  it('is used without the rights to change the schema while nothing has to change', async () => {
    await run(nameOf(migrated), 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO PUBLIC');
    await start(nameOf(migrated));
  });

  it('is refused where an upgrade needs to change tables of another user', async () => {
    const database = nameOf(migrated);
    await run(
      database,
      'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO PUBLIC',
      'GRANT CREATE ON SCHEMA public TO PUBLIC',
      'DELETE FROM schema_migrations WHERE id = (SELECT max(id) FROM schema_migrations)',
    );
    await expectRefused(
      database,
      `The database user ${ROLE} may not change the table accounts, which belongs to postloft`,
    );
  });

  it('is refused while it accepts no writes', async () => {
    await run(EMPTY, `ALTER DATABASE ${EMPTY} SET default_transaction_read_only = on`);
    await expectRefused(EMPTY, `The database ${EMPTY} accepts no writes: default_transaction_read_only is on`);
  });

  it('is refused with an encoding that cannot hold mail', async () => {
    const sentence = `The database ${LATIN} has the encoding LATIN1, in which mail cannot be stored`;
    await expect(start(LATIN)).rejects.toThrow(sentence);
    expect(await relations(LATIN)).toEqual([]);
  });
});
