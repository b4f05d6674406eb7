import { randomUUID } from 'node:crypto';
import type { LoggedEvent } from '#libs/contracts';
import type { Engine } from '../engine.js';
import type { EventIntake } from '../intake/event-intake.js';
import type { ReadableLog } from '../intake/rebuild.js';
import { LEVELS } from '../schema/tables.js';
import { dayOf, nextDay, startOf, type Days } from './day-ranges.js';
import { deleteDays } from './heal-days.js';

const READ_EVENTS = 5_000;
/** Positions ascend nearly as times do. */
const DISORDER_MS = LEVELS.hour;

/** The first day of which the log has everything; null if it has no event. */
export async function firstDayIn(log: ReadableLog): Promise<string | null> {
  const oldest = await log.oldest();
  const [first] = oldest === 0 ? [] : await log.read(oldest - 1, 1);
  if (first === undefined) return null;
  // A log that reaches back to its beginning has every event that there was.
  if (oldest === 1) return '1970-01-01';
  return nextDay(dayOf(Date.parse(first.event.created_at) + DISORDER_MS));
}

/**
 * Replaces all rows of some days by those of the log. Nothing else may write to the store meanwhile. Until it has returned,
 * the days may lack events.
 * @param tables those that have rows of the days
 * @param wholeLog reads all of it, for events whose times are far from those of their neighbours
 */
export async function refillDays(
  { engine, intake }: { engine: Engine; intake: EventIntake },
  log: ReadableLog,
  { tables, wholeLog, ...days }: Days & { tables: Iterable<string>; wholeLog: boolean },
): Promise<number> {
  const head = await log.head();
  const [start, end] = [startOf(days.from), startOf(days.to) + LEVELS.day];
  const first = wholeLog ? await log.oldest() : await firstPosition(log, start - DISORDER_MS, head);
  for (const table of tables) await deleteDays(engine, { table, ...days });
  intake.forget();
  const run = randomUUID();
  let count = 0;
  for (let after = first - 1; after < head;) {
    const read = await log.read(after, READ_EVENTS);
    if (read.length === 0) break;
    after = read[read.length - 1].position;
    const events = read.filter((one) => timeOf(one) >= start && timeOf(one) < end);
    await intake.insertAgain(`refill:${run}:${after}`, events);
    count += events.length;
    if (!wholeLog && timeOf(read[0]) > end + DISORDER_MS) break;
  }
  return count;
}

const timeOf = ({ event }: LoggedEvent): number => Date.parse(event.created_at);

/** The position of the first event that is not earlier than `time`, as if times were in order. */
async function firstPosition(log: ReadableLog, time: number, head: number): Promise<number> {
  let [low, high] = [await log.oldest(), head + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [at] = await log.read(middle - 1, 1);
    if (at === undefined || timeOf(at) >= time) high = middle;
    else low = middle + 1;
  }
  return low;
}
