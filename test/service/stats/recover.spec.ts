import { cp, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Log } from '#libs/kernel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StatisticsFiles } from '../../../apps/cli/src/commands/statistics-files.js';
import { expectExactRollups } from '../../support/stats/exact-rollups.js';
import { DamagedStore, OLD_DAYS } from '../../support/stats/stats-damage.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

describe('stats recover', { timeout: 120_000 }, () => {
  let home: OpenTestDatabase;
  let original: DamagedStore;
  let damaged: DamagedStore;

  beforeAll(async () => {
    home = await createTestDatabase();
    original = await DamagedStore.create(home.database);
  });
  afterAll(async () => {
    await original.remove();
    await home.close();
  });
  beforeEach(async () => {
    damaged = await original.copy();
  });
  afterEach(() => damaged.remove());

  const recover = (from?: string) => new StatisticsFiles(home.database, damaged.config(), Log.quiet()).recover(from);
  const expectWhole = async () => {
    await damaged.open();
    expect(await damaged.contents()).toEqual(original.whole);
    await expectExactRollups(damaged.select);
    await damaged.close();
  };

  it('reads a whole store back that was set aside, once however often it runs', async () => {
    await rename(damaged.path, `${damaged.path}.broken-2026`);
    const { incomplete } = await damaged.recover();
    expect(incomplete).toEqual(damaged.days.slice(0, OLD_DAYS));
    await damaged.close();
    for (const round of [1, 2]) {
      const recovered = await recover();
      expect(recovered.incomplete).toEqual([]);
      expect(recovered.folders).toMatchObject([{ unreadable: [], events: round === 1 ? OLD_DAYS * 26 : 0 }]);
      await expectWhole();
    }
  });

  it('reads what is readable of it, and names the other parts', async () => {
    const unreadable = await damaged.parts('recipient_groups_by_quarter');
    for (const part of unreadable) await damaged.truncatePart('recipient_groups_by_quarter', part);
    await rename(damaged.path, `${damaged.path}.broken-2026`);
    await damaged.recover();
    await damaged.close();
    const [{ unreadable: named }] = (await recover()).folders;
    expect(named.sort()).toEqual(unreadable.map((part) => `recipient_groups_by_quarter/${part}`));
    // Made from the single events.
    await expectWhole();
  });

  it('reads single events back whose roll-ups were kept, and parts that are readable again', async () => {
    const backup = join(damaged.dataDir, 'backup');
    await cp(damaged.path, backup, { recursive: true, verbatimSymlinks: true });
    for (const table of ['recipient_events', 'recipient_counts_by_day'])
      for (const part of await damaged.parts(table)) await damaged.truncatePart(table, part);
    expect((await damaged.recover()).incomplete).toEqual(damaged.days.slice(0, OLD_DAYS));
    await damaged.close();
    const aside = (await readdir(damaged.dataDir)).filter((name) => name.startsWith('chdb.broken-'));
    expect(aside).toHaveLength(1);
    // Nothing in it is readable.
    expect(await recover()).toMatchObject({
      folders: [{ read: [], events: 0 }],
      incomplete: damaged.days.slice(0, OLD_DAYS),
    });
    expect(await recover(backup)).toMatchObject({ incomplete: [] });
    await expectWhole();
  });
});
