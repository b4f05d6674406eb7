import type { Engine } from '../engine.js';
import {
  countsFromEvents,
  countsTable,
  EVENTS,
  groupsFromEvents,
  groupsTable,
  POSITIONS,
  positionsFromEvents,
  rolledUp,
  type Level,
} from '../schema/tables.js';
import { asRanges, type Days } from './day-ranges.js';
import { totalsOf, type DayTotals, type TableTotals, type Total } from './day-totals.js';

interface Source {
  table: string;
  /** Reads rows of the target. */
  rows: (days: Days) => string;
}

const COLUMNS_OF_COUNTS = 'account_id, domain_id';
const COLUMNS_OF_GROUPS = 'account_id, dimension, domain_id, value';
const within = (day: string, { from, to }: Days) => `${day} >= '${from}' AND ${day} <= '${to}'`;
const eventsOf = (days: Days) => within('toDate(at)', days);
const periodsOf = (days: Days) => within('toDate(period)', days);

const counts = (level: Level, finer: readonly Level[]): [string, Source[]] => [
  countsTable(level),
  [
    { table: EVENTS, rows: (days) => countsFromEvents(level, eventsOf(days)) },
    ...finer.map((from) => ({
      table: countsTable(from),
      rows: (days: Days) => rolledUp(countsTable(from), { level, keys: COLUMNS_OF_COUNTS, where: periodsOf(days) }),
    })),
  ],
];

/** By table, from the finest: the tables from which its rows can be made. */
const SOURCES: ReadonlyMap<string, readonly Source[]> = new Map([
  [POSITIONS, [{ table: EVENTS, rows: (days) => positionsFromEvents(eventsOf(days)) }]],
  counts('minute', []),
  counts('quarter', ['minute']),
  counts('hour', ['quarter', 'minute']),
  counts('day', ['hour', 'quarter', 'minute']),
  [groupsTable('quarter'), [{ table: EVENTS, rows: (days) => groupsFromEvents('quarter', eventsOf(days)) }]],
  [
    groupsTable('day'),
    [
      { table: EVENTS, rows: (days) => groupsFromEvents('day', eventsOf(days)) },
      {
        table: groupsTable('quarter'),
        rows: (days) =>
          rolledUp(groupsTable('quarter'), { level: 'day', keys: COLUMNS_OF_GROUPS, where: periodsOf(days) }),
      },
    ],
  ],
]);

export interface ComparedDay {
  tables: TableTotals;
  expected: DayTotals;
}

/**
 * Replaces the rows of days in those tables that have fewer of them than a finer one, by rows made from that.
 * @returns the days
 */
export async function healDays(engine: Engine, days: ReadonlyMap<string, ComparedDay>): Promise<Set<string>> {
  const healed = new Set<string>();
  for (const [target, sources] of SOURCES) {
    const [total] = totalsOf(target);
    for (const source of sources) {
      const chosen = [...days].filter(([, day]) => bestSource(target, day) === source).map(([day]) => day);
      for (const range of asRanges(chosen)) {
        const inRange = chosen.filter((day) => day >= range.from && day <= range.to);
        const isEmpty = inRange.every((day) => totalOf(days.get(day), target, total) === 0);
        await replaceDays(engine, { table: target, days: range, isEmpty, rows: source.rows(range) });
        for (const day of inRange) {
          const tables = (days.get(day) as ComparedDay).tables;
          const now = totalOf(days.get(day), source.table, total);
          tables.set(target, { stored: 0, counted: 0, grouped: 0, ...tables.get(target), [total]: now });
          healed.add(day);
        }
      }
    }
  }
  return healed;
}

const totalOf = (day: ComparedDay | undefined, table: string, total: Total): number =>
  day?.tables.get(table)?.[total] ?? 0;

/** The source that has most of a day, if it has more than the target, which has not all of it. */
function bestSource(target: string, day: ComparedDay): Source | undefined {
  const [total] = totalsOf(target);
  const has = totalOf(day, target, total);
  if (has >= day.expected[total]) return undefined;
  const sources = SOURCES.get(target) ?? [];
  const best = sources.toSorted((a, b) => totalOf(day, b.table, total) - totalOf(day, a.table, total)).at(0);
  return best !== undefined && totalOf(day, best.table, total) > has ? best : undefined;
}

interface Replacement {
  table: string;
  days: Days;
  /** The table has no rows of the days. */
  isEmpty: boolean;
  /** Reads the new rows, in a column per column of the table by name. */
  rows: string;
}

/** After an interruption in between, the days have fewer rows than the tables that they are made from, and are replaced again. */
async function replaceDays(engine: Engine, { table, days, isEmpty, rows }: Replacement): Promise<void> {
  if (!isEmpty) await deleteDays(engine, { table, ...days });
  const columns = await columnsOf(engine, table);
  await engine.command(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM (${rows})`);
}

export async function columnsOf(engine: Engine, table: string): Promise<string> {
  const columns = await engine.select<{ name: string }>({
    query: `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String} ORDER BY position`,
    params: { table },
  });
  return columns.map(({ name }) => name).join(', ');
}

const DAY_OF: Record<string, string> = { [EVENTS]: 'toDate(at)', [POSITIONS]: 'day' };

/** Deletes the rows of some days, both ends inclusive. */
export async function deleteDays(engine: Engine, { table, from, to }: Days & { table: string }): Promise<void> {
  const day = DAY_OF[table] ?? 'toDate(period)';
  await engine.command(`ALTER TABLE ${table} DELETE WHERE ${within(day, { from, to })} SETTINGS mutations_sync = 2`);
}
