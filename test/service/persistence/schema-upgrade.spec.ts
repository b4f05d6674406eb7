import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Log } from '#libs/kernel';
import { Database, migrate } from '#libs/persistence';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testConfig } from '../../support/persistence/database.js';
import { catalogueOf, type Catalogue } from '../../support/persistence/catalogue.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';
import { dataSourceOptions } from '../../../libs/persistence/src/persistence.module.js';

const DUMP = new URL('../../golden/schema/0001-initial.sql', import.meta.url);

let fresh: OpenTestDatabase;
let freshCatalogue: Catalogue;
beforeAll(async () => {
  fresh = await createTestDatabase();
  freshCatalogue = await catalogueOf(fresh.database);
});
afterAll(() => fresh?.close());

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

describe('the dump of 0001', () => {
  let name: string;
  let dataSource: DataSource;
  let database: Database;

  beforeEach(async () => {
    name = `dump_${randomBytes(6).toString('hex')}`;
    const url = new URL(fresh.url);
    url.pathname = `/${name}`;
    await run(fresh.url, `CREATE DATABASE ${name}`);
    await run(url.href, await readFile(DUMP, 'utf8'));
    dataSource = await new DataSource(dataSourceOptions(testConfig(url.href), Log.quiet())).initialize();
    database = new Database(dataSource);
  });
  afterEach(async () => {
    await dataSource?.destroy();
    await run(fresh.url, `DROP DATABASE ${name} WITH (FORCE)`);
  });

  const migrations = async () => (await database.query('SELECT name FROM schema_migrations ORDER BY id')).rows;

  /** The number of rows by table. */
  async function counts(): Promise<Record<string, number>> {
    const tables = await database.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    );
    const counted: Record<string, number> = {};
    for (const { name: table } of tables.rows) {
      const { rows } = await database.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
      counted[table] = rows[0].count;
    }
    return counted;
  }

  it('has rows in every table of 0001 and no later migration', async () => {
    expect(await migrations()).toEqual([{ name: 'Schema1700000000001' }]);
    expect(Object.entries(await counts()).filter(([, count]) => count === 0)).toEqual([]);
  });

  it('is upgraded to the schema of a new database, with all rows', async () => {
    const { schema_migrations: _, ...before } = await counts();
    await migrate(dataSource);
    expect(await catalogueOf(database)).toEqual(freshCatalogue);
    expect(await migrations()).toEqual(
      (await fresh.database.query('SELECT name FROM schema_migrations ORDER BY id')).rows,
    );
    expect(await counts()).toMatchObject(before);
  });

  describe('with recipients for several batches', () => {
    const RECIPIENTS = 2_500;
    const KEYS = `SELECT count(*)::int AS rows, count(domain_key)::int AS keys, count(DISTINCT domain_key)::int AS domains,
             count(*) FILTER (WHERE account_id <> '')::int AS accounts FROM recipients WHERE address LIKE 'many-%'`;

    /** 500 emails with five recipients each, two of them at one domain; every second one is due. */
    beforeEach(async () => {
      const columns = `SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
        WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`;
      const copy = async (table: string, changes: string, source: string) => {
        const [{ names }] = (await database.query<{ names: string }>(columns, [table])).rows;
        await database.query(
          `INSERT INTO ${table} (${names}) SELECT ${names} FROM (
             SELECT (jsonb_populate_record(first, ${changes})).* FROM (SELECT t FROM ${table} t LIMIT 1) AS one (first), ${source}) AS copied`,
        );
      };
      await copy('emails', `jsonb_build_object('id', 'em_many_' || i)`, 'generate_series(1, 500) AS i');
      await copy(
        'recipients',
        `jsonb_build_object('email_id', 'em_many_' || i, 'ordinal', k, 'address', 'many-' || k, 'domain', 'd' || k % 4 || '.test',
           'claimed_by', NULL, 'is_due', NULL, 'due_at', CASE WHEN i % 2 = 0 THEN '2026-01-01' END)`,
        'generate_series(1, 500) AS i, generate_series(0, 4) AS k',
      );
    });

    const expectAll = async () => {
      expect((await database.query(KEYS)).rows).toEqual([
        { rows: RECIPIENTS, keys: 2_000, domains: 4, accounts: RECIPIENTS / 2 },
      ]);
      expect(await catalogueOf(database)).toEqual(freshCatalogue);
    };

    it('gives each its keys', async () => {
      await migrate(dataSource);
      await expectAll();
    });

    it('continues after an interruption, and repairs an index that was left unfinished', async () => {
      await database.query('ALTER TABLE recipients ADD domain_key integer');
      await database.query(`UPDATE recipients SET domain_key = 1 WHERE email_id LIKE 'em_many_1%'`);
      await database.query('CREATE INDEX recipients_domain ON recipients (domain_key)');
      await database.query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'recipients_domain'::regclass`);
      await migrate(dataSource);
      const { rows } = await database.query(`SELECT FROM recipients WHERE domain_key = 1 AND address <> 'many-4'`);
      expect(rows).toEqual([]);
      expect(await catalogueOf(database)).toEqual(freshCatalogue);
    });

    it('waits for a transaction that uses a table, without keeping others from it', async () => {
      const reader = await database.session();
      await reader.query('BEGIN');
      await reader.query('SELECT FROM recipients');
      const warned: string[] = [];
      const log = Object.assign(Log.quiet(), {
        warn: (event: string) => {
          warned.push(event);
          // Others use the table between two attempts; then the transaction ends.
          void database
            .query(`UPDATE recipients SET smtp_text = 'written' WHERE email_id = 'em_many_1'`)
            .then(() => reader.query('COMMIT'));
        },
      });
      await migrate(dataSource, { log });
      reader.release();
      expect(warned).toContain('a change of the schema waits for a transaction that uses the table');
      await expectAll();
    });
  });

  it('has its login mail marked, with copies that a retry made of it, and no email of a customer', async () => {
    const tags = { notice: 'login' };
    const variants: [id: string, keyId: string | null, retryOf: string | null][] = [
      ['em_login', null, null],
      ['em_copy', 'key_1', 'em_login'],
      ['em_customer', 'key_1', null],
    ];
    for (const [id, keyId, retryOf] of variants) {
      const changed = JSON.stringify({ id, api_key_id: keyId, retry_of: retryOf, tags });
      // The generated column must not be inserted.
      const columns = `SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
        WHERE attrelid = 'emails'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`;
      const [{ names }] = (await database.query<{ names: string }>(columns)).rows;
      await database.query(
        `INSERT INTO emails (${names}) SELECT ${names} FROM (
           SELECT (jsonb_populate_record(e, $1::jsonb)).* FROM emails e ORDER BY id LIMIT 1) AS changed`,
        [changed],
      );
      await database.query(
        `INSERT INTO email_tags (account_id, key, value, email_id) SELECT account_id, 'notice', 'login', id FROM emails WHERE id = $1`,
        [id],
      );
      await database.query(
        `INSERT INTO captured_messages (id, account_id, email_id, mail_from, rcpt_to, size, raw)
         SELECT 'cap_' || id, account_id, id, '', '{}', 0, '' FROM emails WHERE id = $1`,
        [id],
      );
    }
    await migrate(dataSource);
    const marked = ['em_copy', 'em_login'];
    expect((await database.query('SELECT id FROM emails WHERE is_login_mail ORDER BY id')).rows).toEqual(
      marked.map((id) => ({ id })),
    );
    expect(
      (await database.query('SELECT email_id FROM captured_messages WHERE is_login_mail ORDER BY email_id')).rows,
    ).toEqual(marked.map((id) => ({ email_id: id })));
  });
});

describe('the catalogue', () => {
  it.each([
    'ALTER TABLE emails ALTER subject TYPE varchar(998)',
    'ALTER TABLE emails ALTER subject DROP NOT NULL',
    `ALTER TABLE emails ALTER subject SET DEFAULT ''`,
    'ALTER TABLE emails ALTER subject SET STORAGE EXTERNAL',
    'ALTER TABLE emails ALTER subject SET COMPRESSION pglz',
    'ALTER TABLE emails ALTER subject SET STATISTICS 1000',
    'ALTER TABLE emails ALTER retry_of TYPE text COLLATE "default"',
    'ALTER TABLE emails SET (fillfactor = 51)',
    'ALTER TABLE outbox RESET (toast_tuple_target)',
    'ALTER TABLE outbox SET (toast.autovacuum_enabled = false)',
    'ALTER TABLE outbox ALTER id SET GENERATED BY DEFAULT',
    'ALTER SEQUENCE outbox_id_seq INCREMENT 2',
    'ALTER TABLE rate_buckets SET LOGGED',
    'ALTER TABLE webhooks DROP CONSTRAINT webhooks_status_check',
    'DROP INDEX emails_by_state',
    'CREATE VIEW live AS SELECT id FROM accounts',
    `CREATE FUNCTION one() RETURNS integer LANGUAGE sql RETURN 1`,
    'CREATE TRIGGER same BEFORE UPDATE ON emails FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
    'GRANT SELECT ON emails TO PUBLIC',
    'GRANT SELECT (subject) ON emails TO PUBLIC',
    'ALTER TABLE emails ENABLE ROW LEVEL SECURITY',
    'CREATE POLICY nobody ON emails USING (false)',
    `COMMENT ON COLUMN emails.subject IS 'decoded'`,
    'CREATE SEQUENCE numbers',
    `CREATE TYPE state AS ENUM ('on', 'off')`,
    'CREATE STATISTICS both_columns ON mode, source FROM emails',
  ])('shows %s', async (change) => {
    expect(await catalogueAfter(change)).not.toEqual(freshCatalogue);
  });

  it('leaves out the order of columns', async () => {
    const changes = ['ALTER TABLE accounts DROP COLUMN name', 'ALTER TABLE accounts ADD COLUMN name text NOT NULL'];
    expect(await catalogueAfter(...changes)).toEqual(freshCatalogue);
  });

  async function catalogueAfter(...changes: string[]): Promise<Catalogue> {
    const session = await fresh.database.session();
    try {
      for (const statement of ['BEGIN', ...changes]) await session.query(statement);
      return await catalogueOf(session);
    } finally {
      await session.query('ROLLBACK');
      session.release();
    }
  }
});
