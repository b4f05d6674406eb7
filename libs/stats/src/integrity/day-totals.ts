import type { Engine } from '../engine.js';
import { DISJOINT } from '../schema/columns.js';
import {
  countsTable,
  DIMENSION_VALUES,
  EVENTS,
  GROUP_LEVELS,
  groupsTable,
  LEVELS,
  POSITIONS,
  type Level,
  type TableOptions,
} from '../schema/tables.js';

/**
 * The totals of a day (`YYYY-MM-DD` in UTC) in every complete table: events, those that count, and their values in the
 * roll-ups by dimension.
 */
export interface DayTotals {
  stored: number;
  counted: number;
  grouped: number;
}
export type Total = keyof DayTotals;
const TOTALS: readonly Total[] = ['stored', 'counted', 'grouped'];

/** Which of them a table has. */
const TOTALS_OF: Record<string, readonly Total[]> = {
  [EVENTS]: TOTALS,
  [POSITIONS]: ['stored'],
  ...Object.fromEntries((Object.keys(LEVELS) as Level[]).map((level) => [countsTable(level), ['counted']])),
  ...Object.fromEntries(GROUP_LEVELS.map((level) => [groupsTable(level), ['grouped']])),
};
export const totalsOf = (table: string): readonly Total[] => TOTALS_OF[table] ?? [];

/** Totals of a day by table; a table without a row of the day is absent. */
export type TableTotals = Map<string, DayTotals>;

/** A table that has less of a day than it should. */
export interface Shortfall {
  table: string;
  found: number;
  expected: number;
}

/** Days from `from` to `to`, both inclusive; all of them unless given. */
export interface DayRange {
  from?: string;
  to?: string;
}

export async function readTotals(engine: Engine, { from, to }: DayRange = {}): Promise<Map<string, TableTotals>> {
  const within = (day: string) => `${day} >= toDate({from:String}) AND ${day} <= toDate({to:String})`;
  const sum = DISJOINT.join(' + ');
  const rollups = (Object.keys(LEVELS) as Level[]).map((level) => [countsTable(level), 'counted'] as const);
  const groups = GROUP_LEVELS.map((level) => [groupsTable(level), 'grouped'] as const);
  const selects = [
    `SELECT '${EVENTS}' AS name, toDate(at) AS day, count() AS stored, countIf(counter != '') AS counted,
            sumIf(length(${DIMENSION_VALUES}), counter != '') AS grouped FROM ${EVENTS} WHERE ${within('toDate(at)')} GROUP BY day`,
    `SELECT '${POSITIONS}' AS name, day, count() AS stored, 0 AS counted, 0 AS grouped FROM ${POSITIONS}
      WHERE ${within('day')} GROUP BY day`,
    ...[...rollups, ...groups].map(
      ([table, total]) =>
        `SELECT '${table}' AS name, toDate(period) AS day, toUInt64(0) AS stored, ${total === 'counted' ? `sum(${sum})` : '0'} AS counted,
                ${total === 'grouped' ? `sum(${sum})` : '0'} AS grouped FROM ${table} WHERE ${within('toDate(period)')} GROUP BY day`,
    ),
  ];
  const rows = await engine.select<{ name: string; text: string } & DayTotals>({
    query: `SELECT name, toString(day) AS text, stored, counted, grouped FROM (${selects.join('\n UNION ALL ')}) ORDER BY day`,
    params: { from: from ?? '1970-01-01', to: to ?? '2149-06-06' },
  });
  const days = new Map<string, TableTotals>();
  for (const { name, text, stored, counted, grouped } of rows) {
    const tables: TableTotals = days.get(text) ?? new Map();
    tables.set(name, { stored: Number(stored), counted: Number(counted), grouped: Number(grouped) });
    days.set(text, tables);
  }
  return days;
}

/** The most that any table or the record has of the day: rows get lost, and are never too many. */
export function expectedTotals(tables: TableTotals, recorded?: DayTotals): DayTotals {
  const most = (total: Total) => Math.max(recorded?.[total] ?? 0, ...[...tables.values()].map((of) => of[total]));
  return { stored: most('stored'), counted: most('counted'), grouped: most('grouped') };
}

/** The tables that have less of a day than expected. Those whose rows of the day may have expired are left out. */
export function shortfalls(
  day: string,
  { tables, expected }: { tables: TableTotals; expected: DayTotals },
  options: TableOptions,
) {
  return Object.keys(TOTALS_OF).flatMap((table): Shortfall[] => {
    if (mayHaveExpired(table, day, options)) return [];
    const lacking = totalsOf(table).find((total) => (tables.get(table)?.[total] ?? 0) < expected[total]);
    if (lacking === undefined) return [];
    return [{ table, found: tables.get(table)?.[lacking] ?? 0, expected: expected[lacking] }];
  });
}

/** A day later than the rows expire, because they go in the course of a day. */
function mayHaveExpired(table: string, day: string, { rawDays, minuteDays }: TableOptions): boolean {
  const days = { [EVENTS]: rawDays, [POSITIONS]: rawDays, [countsTable('minute')]: minuteDays }[table];
  return days !== undefined && Date.parse(`${day}T00:00:00Z`) < Date.now() - (days - 1) * LEVELS.day;
}

/** The totals of the days from one on, from the tables in which they cost least. */
export async function recordableTotals(engine: Engine, from: string): Promise<Map<string, DayTotals>> {
  const sum = DISJOINT.join(' + ');
  const rollup = (table: string, [counted, grouped]: [string, string]) =>
    `SELECT toDate(period) AS day, toUInt64(0) AS stored, ${counted} AS counted, ${grouped} AS grouped FROM ${table}
      WHERE toDate(period) >= toDate({from:String}) GROUP BY day`;
  const rows = await engine.select<{ text: string } & DayTotals>({
    query: `SELECT toString(day) AS text, sum(stored) AS stored, sum(counted) AS counted, sum(grouped) AS grouped FROM (
              SELECT day, count() AS stored, toUInt64(0) AS counted, toUInt64(0) AS grouped FROM ${POSITIONS}
               WHERE day >= toDate({from:String}) GROUP BY day
              UNION ALL ${rollup(countsTable('day'), [`sum(${sum})`, 'toUInt64(0)'])}
              UNION ALL ${rollup(groupsTable('day'), ['toUInt64(0)', `sum(${sum})`])}) GROUP BY day ORDER BY day`,
    params: { from },
  });
  return new Map(
    rows.map(({ text, stored, counted, grouped }) => [
      text,
      { stored: Number(stored), counted: Number(counted), grouped: Number(grouped) },
    ]),
  );
}

/** Events, or values of events, by day in one roll-up. */
export async function readRollupTotals(engine: Engine, table: string): Promise<Map<string, number>> {
  const rows = await engine.select<{ day: string; total: number }>({
    query: `SELECT toString(toDate(period)) AS day, sum(${DISJOINT.join(' + ')}) AS total FROM ${table} GROUP BY day ORDER BY day`,
    params: {},
  });
  return new Map(rows.map(({ day, total }) => [day, Number(total)]));
}
