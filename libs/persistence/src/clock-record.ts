import type { ClockStep } from '#libs/kernel';
import type { Queryable } from './connection/database.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A reading that is later than the one before by more is a jump ahead, unless the service did not run. */
const MAX_PAUSE_MS = DAY_MS;
/** After a jump ahead, the clock is trusted when it has run on for so long. */
const PROBATION_MS = 7 * DAY_MS;
/** The record is at most so old while a program runs. */
const RECORD_EVERY_MS = MINUTE_MS;
/** Readings of several programs may be recorded out of order by less. */
const BACKWARD_MS = 5_000;
/** Steps that are kept. */
const KEPT_STEPS = 50;

/** Recorded times of the clock of the database, in milliseconds since 1970. */
export interface ClockState {
  seenAt: number;
  trustedAt: number;
  /** Null: trusted. */
  suspectFrom: number | null;
}

/** The present is more than a day after the last time at which a program has seen the clock run. */
export interface ClockSuspicion {
  present: Date;
  lastTrusted: Date;
  /** When the present is trusted if the clock runs on and nobody confirms it before. */
  trustedFrom: Date;
}

/** The state after another reading. A clock that was set back is trusted: it lets nothing expire too early. */
export function afterReading(state: ClockState, now: number): ClockState {
  const { seenAt, trustedAt, suspectFrom } = state;
  const trusted = { seenAt: now, trustedAt: Math.max(trustedAt, now), suspectFrom: null };
  if (suspectFrom === null) return isJump(state, now) ? { seenAt: now, trustedAt, suspectFrom: now } : trusted;
  if (now - trustedAt <= MAX_PAUSE_MS) return trusted;
  const isContinuous = now >= suspectFrom && Math.abs(now - seenAt) <= MAX_PAUSE_MS;
  if (!isContinuous) return { seenAt: now, trustedAt, suspectFrom: now };
  return now - suspectFrom >= PROBATION_MS ? trusted : { seenAt: now, trustedAt, suspectFrom };
}

/** Whether `now` is a time at which data may expire. */
export const isPlausible = (state: ClockState, now: number): boolean =>
  state.suspectFrom === null && !isJump(state, now);

const isJump = ({ seenAt, trustedAt }: ClockState, now: number): boolean =>
  now - Math.max(seenAt, trustedAt) > MAX_PAUSE_MS;

const ms = (column: string): string => `extract(epoch FROM ${column})::float8 * 1000`;
const time = (parameter: string): string => `to_timestamp(${parameter}::float8 / 1000)`;

const STATE = `
  SELECT ${ms('clock_timestamp()')} AS present, ${ms('seen_at')} AS "seenAt", ${ms('trusted_at')} AS "trustedAt", ${ms('suspect_from')} AS "suspectFrom"
    FROM clock_state`;

const STEPS = `
  SELECT ${ms('ahead_until')} AS "aheadUntil", ${ms('set_back_to')} AS "setBackTo" FROM clock_steps
   ORDER BY ahead_until DESC LIMIT ${KEPT_STEPS}`;

/** Nothing if another program has recorded a reading meanwhile. */
const RECORD = `
  WITH recorded AS (
    UPDATE clock_state SET seen_at = ${time('$2')}, trusted_at = ${time('$3')}, suspect_from = ${time('$4')}
     WHERE abs(extract(epoch FROM seen_at - ${time('$1')})) < 0.001 RETURNING set_config('synchronous_commit', 'off', true)),
  step AS (
    INSERT INTO clock_steps (ahead_until, set_back_to) SELECT ${time('$5')}, ${time('$2')} FROM recorded WHERE $5::float8 IS NOT NULL
    ON CONFLICT (ahead_until) DO NOTHING)
  DELETE FROM clock_steps WHERE ahead_until < (SELECT ahead_until FROM clock_steps ORDER BY ahead_until DESC OFFSET ${KEPT_STEPS} LIMIT 1)`;

/**
 * The clock of the database as running programs have seen it, in the database: so a jump is noticed across restarts. Retention asks
 * it whether the present is plausible; lists by time ask it for the steps back.
 */
export class ClockRecord {
  constructor(private readonly database: Queryable) {}

  /** With the present of the database, also where this process has not noticed a jump yet. */
  async state(): Promise<ClockState & { present: number }> {
    const { rows } = await this.database.query<ClockState & { present: number }>(STATE);
    if (rows.length === 0) throw new Error('clock_state has no row');
    return rows[0];
  }

  async steps(): Promise<ClockStep[]> {
    return (await this.database.query<ClockStep>(STEPS)).rows;
  }

  /** Null: data may expire by the present of the database and by `now`. */
  async suspicion(now: number): Promise<ClockSuspicion | null> {
    const state = await this.state();
    const latest = Math.max(now, state.present);
    if (isPlausible(state, latest)) return null;
    const from = state.suspectFrom ?? latest;
    return {
      present: new Date(latest),
      lastTrusted: new Date(state.trustedAt),
      trustedFrom: new Date(from + PROBATION_MS),
    };
  }

  /** Records a reading, at most once a minute unless it tells something new. True if it is a step back. */
  async note(now: number): Promise<boolean> {
    const before = await this.state();
    const after = afterReading(before, now);
    const isStep = now < before.seenAt - BACKWARD_MS;
    if (!isStep && after.suspectFrom === before.suspectFrom && now - before.seenAt < RECORD_EVERY_MS) return false;
    // The clock may have run ahead since the last record.
    const aheadUntil = isStep ? before.seenAt + 2 * RECORD_EVERY_MS : null;
    await this.database.query(RECORD, [before.seenAt, after.seenAt, after.trustedAt, after.suspectFrom, aheadUntil]);
    return isStep;
  }

  /** Declares the present plausible. */
  async confirm(): Promise<void> {
    await this.database.query(
      'UPDATE clock_state SET seen_at = clock_timestamp(), trusted_at = clock_timestamp(), suspect_from = NULL',
    );
  }
}
