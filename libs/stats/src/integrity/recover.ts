import { cp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Engine } from '../engine.js';
import {
  countsTable,
  DATA_TABLES,
  EVENTS,
  GROUP_LEVELS,
  groupsTable,
  LEVELS,
  POSITIONS,
  positionsFromEvents,
  type Level,
} from '../schema/tables.js';
import { detachDamagedParts } from './check-parts.js';
import { readRollupTotals, type DayTotals } from './day-totals.js';
import { columnsOf, deleteDays } from './heal-days.js';
import { findParts, type StoredPart } from './set-aside-parts.js';

export interface Recovered {
  /** Parts that were read, and those that cannot be, as `<table>/<part>`. */
  read: string[];
  unreadable: string[];
  /** Single events that the store lacked. */
  events: number;
  /** Days of which roll-ups lacked rows. */
  days: string[];
}

const STAGING = 'recovered_';
const ROLLUPS = [...(Object.keys(LEVELS) as Level[]).map(countsTable), ...GROUP_LEVELS.map(groupsTable)];

/**
 * Adds what a folder with files of a store has and the store lacks: single events by their positions, and days of roll-ups.
 * Nothing else may write to the store meanwhile. After an interruption it is simply run again.
 */
export async function recoverFrom(
  engine: Engine,
  folder: string,
  recorded: ReadonlyMap<string, DayTotals>,
): Promise<Recovered> {
  const parts = await findParts(folder, new Set(DATA_TABLES));
  const result: Recovered = { read: [], unreadable: [], events: 0, days: [] };
  await dropStaging(engine);
  try {
    for (const table of new Set(parts.map((part) => part.table))) {
      await engine.command(`CREATE TABLE ${STAGING}${table} AS ${table}`);
      for (const part of parts.filter((one) => one.table === table)) {
        const isRead = await attach(engine, part);
        (isRead ? result.read : result.unreadable).push(`${table}/${part.name}`);
      }
      const damaged = await detachDamagedParts(engine, { tables: [`${STAGING}${table}`] });
      result.unreadable.push(...damaged.map((name) => name.slice(STAGING.length)));
    }
    const staged = new Set(result.read.map((name) => name.slice(0, name.indexOf('/'))));
    if (staged.has(EVENTS)) result.events = await addEvents(engine);
    const days = new Set<string>();
    for (const table of ROLLUPS.filter((name) => staged.has(name)))
      for (const day of await addRollups(engine, table, recorded)) days.add(day);
    result.days = [...days].sort();
    return result;
  } finally {
    await dropStaging(engine);
  }
}

async function dropStaging(engine: Engine): Promise<void> {
  for (const table of [...DATA_TABLES, 'new_events'])
    await engine.command(`DROP TABLE IF EXISTS ${STAGING}${table} SYNC`);
}

/** False if the engine cannot read the part. The original is left as it is. */
async function attach(engine: Engine, { table, name, path }: StoredPart): Promise<boolean> {
  const [{ folder }] = await engine.select<{ folder: string }>({
    query: `SELECT data_paths[1] AS folder FROM system.tables WHERE database = currentDatabase() AND name = {table:String}`,
    params: { table: `${STAGING}${table}` },
  });
  const copy = join(folder, 'detached', name);
  await cp(path, copy, { recursive: true });
  try {
    await engine.command(`ALTER TABLE ${STAGING}${table} ATTACH PART '${name}'`);
    return true;
  } catch {
    await rm(copy, { recursive: true, force: true });
    return false;
  }
}

/** Without the views: whether the roll-ups have these events is found out day by day. */
async function addEvents(engine: Engine): Promise<number> {
  const fresh = `${STAGING}new_events`;
  await engine.command(`CREATE TABLE ${fresh} AS ${EVENTS}`);
  await engine.command(
    `INSERT INTO ${fresh} SELECT * FROM ${STAGING}${EVENTS}
      WHERE position NOT IN (SELECT position FROM ${EVENTS}) LIMIT 1 BY position`,
  );
  const partitions = await engine.select<{ id: string; events: number }>({
    query: `SELECT _partition_id AS id, count() AS events FROM ${fresh} GROUP BY id ORDER BY id`,
    params: {},
  });
  for (const { id } of partitions)
    await engine.command(`ALTER TABLE ${EVENTS} ATTACH PARTITION ID '${basename(id)}' FROM ${fresh}`);
  const isUnknown = `position NOT IN (SELECT position FROM ${POSITIONS})`;
  await engine.command(`INSERT INTO ${POSITIONS} (position, batch, day) ${positionsFromEvents(isUnknown)}`);
  return partitions.reduce((sum, { events }) => sum + Number(events), 0);
}

/** Returns the days that were changed. */
async function addRollups(engine: Engine, table: string, recorded: ReadonlyMap<string, DayTotals>): Promise<string[]> {
  const total = GROUP_LEVELS.map(groupsTable).includes(table) ? 'grouped' : 'counted';
  const [has, had] = [await readRollupTotals(engine, table), await readRollupTotals(engine, `${STAGING}${table}`)];
  const columns = await columnsOf(engine, table);
  const changed: string[] = [];
  for (const [day, found] of had) {
    const [now, expected] = [has.get(day) ?? 0, recorded.get(day)?.[total]];
    // Rows that were set aside from a table in use: together with those that stayed, they are all.
    const isRest = expected !== undefined && now + found === expected;
    if (!isRest && found <= now) continue;
    if (!isRest && now > 0) await deleteDays(engine, { table, from: day, to: day });
    await engine.command(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${STAGING}${table} WHERE toDate(period) = '${day}'`,
    );
    changed.push(day);
  }
  return changed;
}
