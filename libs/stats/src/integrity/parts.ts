import type { Engine } from '../engine.js';
import {
  DATA_TABLES,
  EVENTS,
  LAYOUTS,
  LEVELS,
  POSITIONS,
  PROGRESS,
  countsTable,
  type TableOptions,
} from '../schema/tables.js';

/** The parts of the tables that a store had: `[partition, first block, last block, newest row in seconds, 0 if unknown]`. */
export type Parts = Record<string, [partition: string, first: number, last: number, newest: number][]>;

export async function readParts(engine: Engine): Promise<Parts> {
  const rows = await engine.select<{ table: string; partition: string; first: number; last: number; newest: number }>({
    query: `SELECT table, partition_id AS partition, toInt64(min_block_number) AS first, toInt64(max_block_number) AS last,
                   greatest(toUnixTimestamp(max_time), toUnixTimestamp(toDateTime(max_date, 'UTC'))) AS newest
              FROM system.parts WHERE database = currentDatabase() AND active AND rows > 0 AND table IN ({tables:Array(String)})
             ORDER BY table, partition, first`,
    params: { tables: [...DATA_TABLES, PROGRESS, LAYOUTS] },
  });
  const parts: Parts = {};
  for (const { table, partition, first, last, newest } of rows)
    (parts[table] ??= []).push([partition, Number(first), Number(last), Number(newest)]);
  return parts;
}

/**
 * The tables that lack parts which the store had. A merge puts parts together whose blocks the new part then has; only expired
 * parts go. An erasure may empty a part as well, so that a table may be named that lacks nothing.
 */
export function tablesWithout(had: Parts, has: Parts, { rawDays, minuteDays }: TableOptions): string[] {
  const days: Record<string, number> = {
    [EVENTS]: rawDays,
    [POSITIONS]: rawDays,
    [countsTable('minute')]: minuteDays,
  };
  return Object.entries(had).flatMap(([table, parts]) => {
    const expired = (Date.now() - (days[table] ?? Infinity) * LEVELS.day) / 1_000;
    const lacking = parts.some(([partition, first, last, newest]) => {
      const covering = has[table]?.find(([name, from, to]) => name === partition && from <= first && to >= last);
      return (newest === 0 || newest >= expired) && covering === undefined;
    });
    return lacking ? [table] : [];
  });
}
