import { describe, expect, it } from 'vitest';
import { KNOWN_MIGRATIONS, schemaProblem } from './migrate.js';

const DEVELOPMENT = ['FirstWalk1700000000001', 'Accounts1700000000002', 'NoStatistics1700000000024'];
const NEWER = 'Later1799999999999';

const developmentVersion = (name: string) => ({
  message: `The database was made by a development version (schema ${name}) that this version cannot read.`,
  fix: 'To keep the data, start the version that made it; to drop it, start with an empty DATA_DIR or database.',
});

describe('schemaProblem', () => {
  it('accepts an empty database, and one with known migrations only', () => {
    expect(schemaProblem([])).toBeNull();
    expect(schemaProblem(KNOWN_MIGRATIONS)).toBeNull();
    expect(schemaProblem(KNOWN_MIGRATIONS.slice(0, 1))).toBeNull();
  });

  it('names the last migration of a development version, independent of their order', () => {
    expect(schemaProblem(DEVELOPMENT)).toEqual(developmentVersion('NoStatistics1700000000024'));
    expect(schemaProblem(DEVELOPMENT.toReversed())).toEqual(developmentVersion('NoStatistics1700000000024'));
  });

  it('takes a database with a later migration, but not all known ones, for a development version', () => {
    expect(schemaProblem([NEWER])).toEqual(developmentVersion(NEWER));
  });

  it('takes a database with an unknown migration before the last known one for a development version', () => {
    const unknown = 'FirstWalk1700000000001';
    expect(schemaProblem([...KNOWN_MIGRATIONS, unknown])).toEqual(developmentVersion(unknown));
    expect(schemaProblem([...KNOWN_MIGRATIONS, unknown, NEWER])).toEqual(developmentVersion(NEWER));
  });

  it('recognises a newer version by its later migrations after all known ones', () => {
    expect(schemaProblem([...KNOWN_MIGRATIONS, NEWER])).toEqual({
      message: `The database was made by a newer version (schema ${NEWER}) that this version cannot use.`,
      fix: 'Start the newer version, or restore a backup from before the upgrade.',
    });
  });
});
