import { ConfigError } from '#libs/kernel';
import { migrate } from '#libs/persistence';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { catalogueOf } from '../../support/persistence/catalogue.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

describe('migrate', () => {
  let db: OpenTestDatabase;
  beforeEach(async () => {
    db = await createTestDatabase();
  });
  afterEach(() => db.close());

  const sql = (text: string) => db.database.query(text);
  const state = async () => ({
    catalogue: await catalogueOf(db.database),
    migrations: (await sql('SELECT * FROM schema_migrations ORDER BY id')).rows,
  });

  it.each([
    [
      'a development version',
      `UPDATE schema_migrations SET name = 'FirstWalk1700000000001'`,
      'The database was made by a development version (schema FirstWalk1700000000001) that this version cannot read. ' +
        'To keep the data, start the version that made it; to drop it, start with an empty DATA_DIR or database.',
    ],
    [
      'a newer version',
      `INSERT INTO schema_migrations (timestamp, name) VALUES (1799999999999, 'Later1799999999999')`,
      'The database was made by a newer version (schema Later1799999999999) that this version cannot use. ' +
        'Start the newer version, or restore a backup from before the upgrade.',
    ],
  ])('refuses a database of %s and leaves it as it is', async (_, change, sentence) => {
    await sql(change);
    const before = await state();
    let isRun = false;
    const refused = migrate(db.dataSource, { afterwards: async () => (isRun = true) });
    await expect(refused).rejects.toThrow(new ConfigError(sentence));
    expect(isRun).toBe(false);
    expect(await state()).toEqual(before);
  });

  it('makes the whole schema in an empty database', async () => {
    const before = await state();
    await sql('DROP SCHEMA public CASCADE');
    await sql('CREATE SCHEMA public');
    await migrate(db.dataSource);
    const { catalogue, migrations } = await state();
    expect(catalogue).toEqual({ ...before.catalogue, 'schema public': catalogue['schema public'] });
    expect(migrations).toEqual(before.migrations);
  });
});
