import { STATS_COUNTERS, type StatsCounter } from '#libs/contracts';
import type { Statement } from '../engine.js';
import { NO_ID, uuidOf } from '../event-row.js';
import { EVENTS, LEVELS } from '../schema/tables.js';

/** Counts of recipients in one minute. */
export interface MinuteCount {
  /** Its start, in milliseconds since 1970. */
  minute: number;
  counts: Record<StatsCounter, number>;
}

/** The counts of an account or domain as of a position in the event log. */
export interface MinuteCounters {
  /** Every event up to this position is counted, and none above it. */
  position: number;
  /** Ascending; minutes without events are absent. */
  minutes: MinuteCount[];
}

export interface MinuteCountersQuery {
  accountId: string;
  /** Of all domains if absent. */
  domainId?: string;
  /** The first minute is the one that contains this time. */
  from: Date;
}

type MinuteRow = { minute: number } & Record<StatsCounter, string>;

/** From the events, because the roll-ups have no positions. */
export function minuteCountersStatement(of: MinuteCountersQuery, position: number): Statement {
  const counts = STATS_COUNTERS.map((counter) => `countIf(counter = '${counter}') AS ${counter}`);
  return {
    query: `SELECT toUnixTimestamp(toStartOfMinute(at)) AS minute, ${counts.join(', ')} FROM ${EVENTS}
             WHERE account_id = {account:UUID} ${of.domainId === undefined ? '' : 'AND domain_id = {domain:UUID}'}
               AND at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND position <= {position:UInt64}
               AND counter IN ({counters:Array(String)})
             GROUP BY minute ORDER BY minute`,
    params: {
      account: uuidOf(of.accountId) ?? NO_ID,
      ...(of.domainId === undefined ? {} : { domain: uuidOf(of.domainId) ?? NO_ID }),
      from: Math.floor(of.from.getTime() / LEVELS.minute) * LEVELS.minute,
      position,
      counters: STATS_COUNTERS,
    },
  };
}

export const toMinuteCount = (row: MinuteRow): MinuteCount => ({
  minute: row.minute * 1_000,
  counts: Object.fromEntries(STATS_COUNTERS.map((name) => [name, Number(row[name])])) as Record<StatsCounter, number>,
});
export type { MinuteRow };
