import { LIMITS, parseTimestamp } from '#libs/contracts';
import type { Rule } from '#libs/contracts';
import { databaseClock } from '#libs/kernel';

const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const IN = /^in (?:(\d{1,5})|an?) ?(min|minutes?|mins?|hours?|hrs?|h|days?)$/;
const ON_DAY = /^(today|tomorrow)(?: at (\d{1,2})(?::(\d{2}))? ?(am|pm)?)?$/;

/**
 * A scheduled time in the format of Resend: a timestamp as in the native API, or natural language such as `in 5 min`,
 * `in an hour`, `tomorrow at 9am`. Days and times of day are in UTC. Null for any other text.
 */
export function parseResendSchedule(text: string, now: Date = databaseClock.date()): Date | null {
  const words = text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  return parseTimestamp(text.trim()) ?? relativeTime(words, now) ?? timeOnDay(words, now);
}

function relativeTime(words: string, now: Date): Date | null {
  const [all, count = '1', unit] = IN.exec(words) ?? [];
  if (all === undefined) return null;
  const name = unit.startsWith('m') ? 'minute' : unit.startsWith('h') ? 'hour' : 'day';
  return new Date(now.getTime() + Number(count) * UNIT_MS[name]);
}

function timeOnDay(words: string, now: Date): Date | null {
  const [all, day, hours, minutes = '00', half] = ON_DAY.exec(words) ?? [];
  if (all === undefined) return null;
  const ahead = day === 'tomorrow' ? 1 : 0;
  // Without a time of day, the current one is used.
  const hour = hours === undefined ? now.getUTCHours() : hourOf(Number(hours), half);
  const minute = hours === undefined ? now.getUTCMinutes() : Number(minutes);
  if (hour === null || minute > 59) return null;
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + ahead, hour, minute));
}

function hourOf(written: number, half: string | undefined): number | null {
  if (half === undefined) return written <= 23 ? written : null;
  return written >= 1 && written <= 12 ? (written % 12) + (half === 'pm' ? 12 : 0) : null;
}

/** The release time of a validated text; null means now. */
export function resendReleaseTime(text: string): Date | null {
  const at = parseResendSchedule(text);
  return at !== null && at.getTime() > databaseClock.now() ? at : null;
}

/** The same limits as in the native API: at most 72 hours ahead, up to 60 seconds in the past. */
export const resendScheduleRule: Rule = (value) => {
  const at = typeof value === 'string' ? parseResendSchedule(value) : null;
  const problem = (code: string, message: string) => [{ path: '', code, message }];
  if (at === null)
    return problem(
      'invalid_timestamp',
      'must be ISO 8601 with an offset, or words such as "in 5 min", "tomorrow at 9am"',
    );
  const ahead = at.getTime() - databaseClock.now();
  if (ahead > LIMITS.scheduleAheadMs) return problem('too_late', 'must be at most 72 hours in the future');
  return ahead < -LIMITS.scheduleGraceMs ? problem('in_the_past', 'must not be in the past') : [];
};
