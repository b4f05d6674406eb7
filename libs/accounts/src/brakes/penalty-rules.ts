import type { AccountPenalty } from '../account.resource.js';
import { databaseClock, type Config } from '#libs/kernel';
import type { OutcomeCounts } from './sending-outcomes.js';

export type PenaltyLimits = Pick<
  Config['settings'],
  | 'PENALTY_MINIMUM_RECIPIENTS'
  | 'PENALTY_BOUNCE_PERCENT'
  | 'PENALTY_COMPLAINT_PERCENT'
  | 'PENALTY_BLOCK_PERCENT'
  | 'PENALTY_CLEAN_DAYS'
>;

export interface ExceededLimit {
  reason: 'bounces' | 'complaints' | 'blocks';
  limitPercent: number;
}

/** An account is blamed for block replies that it gets at least so many times as often as all others. */
const BLAME_FACTOR = 2;

/** Null while all rates are within their limits, or too few recipients were counted. */
export function exceededLimit(totals: OutcomeCounts, limits: PenaltyLimits): ExceededLimit | null {
  const { recipients, hardBounces, complaints, blocks } = totals;
  // A delivery that is deferred as unwanted has not ended.
  if (Math.max(recipients, blocks) < limits.PENALTY_MINIMUM_RECIPIENTS) return null;
  const exceeds = (count: number, percent: number) => count * 100 > percent * recipients;
  if (exceeds(hardBounces, limits.PENALTY_BOUNCE_PERCENT))
    return { reason: 'bounces', limitPercent: limits.PENALTY_BOUNCE_PERCENT };
  if (exceeds(complaints, limits.PENALTY_COMPLAINT_PERCENT))
    return { reason: 'complaints', limitPercent: limits.PENALTY_COMPLAINT_PERCENT };
  if (exceeds(blocks, limits.PENALTY_BLOCK_PERCENT))
    return { reason: 'blocks', limitPercent: limits.PENALTY_BLOCK_PERCENT };
  return null;
}

/** Block replies that all accounts get concern the source address: moving everybody would only take it along. */
export function isToBlame(
  own: Pick<OutcomeCounts, 'recipients' | 'blocks'>,
  others: Pick<OutcomeCounts, 'recipients' | 'blocks'>,
): boolean {
  const rate = ({ recipients, blocks }: typeof own) => blocks / Math.max(1, recipients, blocks);
  return rate(own) >= BLAME_FACTOR * rate(others);
}

/** The day (UTC) of the clock of the database. */
export const today = (): string => databaseClock.date().toISOString().slice(0, 10);

/** The penalty of an account after one of its deliveries has ended on `day`; null if nothing changes. */
export function nextPenalty(penalty: AccountPenalty, isExceeded: boolean, day: string): AccountPenalty | null {
  if (isExceeded)
    return penalty.exceeded_on === day && penalty.clean_days.length === 0
      ? null
      : { ...penalty, exceeded_on: day, clean_days: [] };
  if (penalty.exceeded_on === day || penalty.clean_days.includes(day)) return null;
  return { ...penalty, clean_days: [...penalty.clean_days, day] };
}

/** Whether the account has sent within all limits for long enough. The present day is not over, so it does not count. */
export const isServed = ({ clean_days: days }: AccountPenalty, needed: number, day: string): boolean =>
  days.filter((one) => one !== day).length >= needed;
