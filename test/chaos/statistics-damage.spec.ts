import { readdir, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DamagedStore, OLD_DAYS, type Recovery } from '../support/stats/stats-damage.js';
import { createTestDatabase, type OpenTestDatabase } from '../support/persistence/test-database.js';

const TABLES = [
  'recipient_events',
  'recipient_positions',
  ...['minute', 'quarter', 'hour', 'day'].map((level) => `recipient_counts_by_${level}`),
  ...['quarter', 'day'].map((level) => `recipient_groups_by_${level}`),
  'stats_progress_by_source',
  'stats_layouts',
];

type Report = [
  damage: string,
  noticed: string,
  setAside: string,
  fromTables: string,
  fromLog: string,
  incomplete: string,
];

/** Files of the statistics store are lost one by one: the log line, what is rebuilt, and what is kept. */
describe('a statistics store that loses files', { timeout: 3_600_000 }, () => {
  const reports: Report[] = [];
  let home: OpenTestDatabase;
  let original: DamagedStore;

  beforeAll(async () => {
    home = await createTestDatabase();
    original = await DamagedStore.create(home.database);
  });
  afterAll(async () => {
    await original.remove();
    await home.close();
    const header: Report = ['lost', 'noticed', 'set aside', 'days from tables', 'days from log', 'days incomplete'];
    console.log([header, ...reports].map((line) => `| ${line.join(' | ')} |`).join('\n'));
  });

  /** Damages a copy, opens and checks it, and expects everything to be there but single events of days that the log lacks. */
  async function expectRecovery(
    name: string,
    damage: (store: DamagedStore) => Promise<void>,
    gone = ['recipient_events'],
  ): Promise<void> {
    const store = await original.copy();
    try {
      await damage(store);
      const recovery = await store.recover();
      const contents = await store.contents();
      for (const [table, days] of Object.entries(original.whole))
        for (const [day, number] of Object.entries(days)) {
          const isGone = gone.includes(table) && recovery.incomplete.includes(day);
          if (!isGone) expect([name, table, day, contents[table]?.[day]]).toEqual([name, table, day, number]);
        }
      expect(recovery.incomplete.filter((day) => !original.days.slice(0, OLD_DAYS).includes(day))).toEqual([]);
      reports.push(reportOf(name, recovery));
    } finally {
      await store.remove();
    }
  }

  it('recovers from the loss of each folder', async () => {
    for (const table of TABLES) await expectRecovery(`folder of ${table}`, (store) => store.deleteFolder(table));
    await expectRecovery('folder of the definitions', deleteDefinitions);
    await expectRecovery('all roll-ups', async (store) => {
      for (const table of TABLES.filter((one) => one.startsWith('recipient_') && one.includes('_by_')))
        await store.deleteFolder(table);
    });
    await expectRecovery('all roll-ups and the positions of sources', async (store) => {
      for (const table of TABLES.filter((one) => one.includes('_by_'))) await store.deleteFolder(table);
    });
    const raw = TABLES.slice(0, 2);
    const deleteRaw = async (store: DamagedStore) => {
      for (const table of raw) await store.deleteFolder(table);
    };
    await expectRecovery('single events and positions', deleteRaw, raw);
  });

  it('recovers from each truncated part', async () => {
    for (const table of TABLES)
      for (const part of await original.parts(table))
        await expectRecovery(`part ${table}/${part}`, (store) => store.truncatePart(table, part));
  });

  it('refills the days of the log when the whole store is lost, and names the others', async () => {
    const store = await original.copy();
    await rm(store.path, { recursive: true });
    const recovery = await store.recover();
    expect(recovery.incomplete).toEqual(original.days.slice(0, OLD_DAYS));
    const contents = await store.contents();
    for (const [table, days] of Object.entries(original.whole))
      for (const day of original.days.slice(OLD_DAYS))
        expect([table, day, contents[table]?.[day]]).toEqual([table, day, days[day]]);
    reports.push(reportOf('the whole store', recovery));
    await store.remove();
  });
});

async function deleteDefinitions(store: DamagedStore): Promise<void> {
  const files = await readdir(store.path, { recursive: true });
  const definition = files.find((file) => file.endsWith('/recipient_events.sql')) as string;
  await rm(dirname(await realpath(join(store.path, definition))), { recursive: true });
}

function reportOf(name: string, { lines, refilled, incomplete, setAside }: Recovery): Report {
  const noticed = lines.find(({ event }) => event === 'the statistics store may have lost rows')?.damage ?? [];
  return [
    name,
    noticed.length > 3 ? `${noticed.length} tables` : noticed.join('; ') || '–',
    setAside.map((path) => path.slice(path.indexOf('/') + 1)).join(', ') || '–',
    String(refilled.tables.length),
    String(refilled.log.length),
    String(incomplete.length),
  ];
}
