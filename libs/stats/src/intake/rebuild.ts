import { randomUUID } from 'node:crypto';
import type { LoggedEvent } from '#libs/contracts';
import type { Engine } from '../engine.js';
import {
  countsTable,
  EVENTS,
  GROUP_LEVELS,
  groupsTable,
  LEVELS,
  onCluster,
  POSITIONS,
  PROGRESS,
  type Level,
  type TableOptions,
} from '../schema/tables.js';
import type { EventIntake } from './event-intake.js';
import { LOG_SOURCE } from './progress.js';

/** The event log, as far as a rebuild reads it. */
export interface ReadableLog {
  /** Positions of the oldest and the newest event; 0 for an empty log. */
  oldest(): Promise<number>;
  head(): Promise<number>;
  /** Events with a position above `after`, ascending. */
  read(after: number, limit: number): Promise<LoggedEvent[]>;
}

export interface Rebuilt {
  /** Events that were read from the log. */
  events: number;
  /** What is older was kept as it was, because the log no longer has it; null if everything was rebuilt. */
  since: Date | null;
}

const READ_EVENTS = 5_000;

/**
 * Replaces the rows of a store by those of the event log. No other program may write meanwhile. After an interruption it is
 * simply run again.
 * @throws if the log does not reach back to the beginning of a day
 */
export async function rebuild(
  { engine, intake, options }: { engine: Engine; intake: EventIntake; options: TableOptions },
  log: ReadableLog,
  onProgress: (position: number, head: number) => void,
): Promise<Rebuilt> {
  const [oldest, head] = [await log.oldest(), await log.head()];
  if (oldest === 0) throw new Error('The event log is empty, so statistics cannot be rebuilt from it.');
  const since = oldest === 1 ? null : await firstWholeDay(log, oldest);
  await clear(engine, options, since);
  intake.forget();
  const run = randomUUID();
  let events = 0;
  for (let after = oldest - 1; after < head;) {
    const read = await log.read(after, READ_EVENTS);
    if (read.length === 0) break;
    const kept = since === null ? read : read.filter(({ event }) => Date.parse(event.created_at) >= since.getTime());
    after = read[read.length - 1].position;
    await intake.insert({ source: LOG_SOURCE, token: `rebuild:${run}:${after}`, events: kept });
    events += kept.length;
    onProgress(after, head);
  }
  await intake.setCompleteUpTo(head);
  return { events, since };
}

/** Positions ascend nearly as times do, so the first day begins an hour after the oldest event at the earliest. */
async function firstWholeDay(log: ReadableLog, oldest: number): Promise<Date> {
  const [first] = await log.read(oldest - 1, 1);
  const earliest = Date.parse(first.event.created_at) + LEVELS.hour;
  const since = new Date(Math.ceil(earliest / LEVELS.day) * LEVELS.day);
  if (since > new Date())
    throw new Error(
      'The event log no longer has a whole day from its beginning, so statistics cannot be rebuilt from it.',
    );
  return since;
}

async function clear(engine: Engine, options: TableOptions, since: Date | null): Promise<void> {
  const from = since === null ? null : `toDateTime(${since.getTime() / 1_000}, 'UTC')`;
  const levels = Object.keys(LEVELS) as Level[];
  const tables: [string, string][] = [
    ...levels.map((level): [string, string] => [countsTable(level), 'period']),
    ...GROUP_LEVELS.map((level): [string, string] => [groupsTable(level), 'period']),
    [POSITIONS, 'day'],
    [EVENTS, 'at'],
  ];
  for (const [table, time] of tables)
    await engine.command(
      from === null
        ? `TRUNCATE TABLE ${table}${onCluster(options)}`
        : `ALTER TABLE ${table}${onCluster(options)} DELETE WHERE ${time} >= ${time === 'day' ? `toDate(${from})` : from} SETTINGS mutations_sync = 2`,
    );
  await engine.command(`TRUNCATE TABLE ${PROGRESS}${onCluster(options)}`);
}
