import { lowestIdAt, type PageRequest } from '#libs/contracts';
import { databaseClock } from '#libs/kernel';
import type { EmailFilter } from './email-filter.js';

/** A range of email ids, exclusive at both ends, read from one of them. */
export interface IdRange {
  above: string;
  below: string;
  order: 'ASC' | 'DESC';
}

const BELOW_ALL = 'em_';
/** `g` is greater than all hex digits. */
const ABOVE_ALL = 'em_g';
/** The time in an id may be a little ahead of `created_at`; `latestOf` knows when it may be more. */
const CLOCK_SLACK_MS = 60_000;

/** Returns the range that contains the ids of a page; the rows are then compared with the times exactly. */
export function idRange(
  request: PageRequest,
  { createdAfter, createdBefore }: Pick<EmailFilter, 'createdAfter' | 'createdBefore'>,
): IdRange {
  const near = (time: Date, slackMs: number) => lowestIdAt('em', new Date(time.getTime() + slackMs));
  const above = [BELOW_ALL, request.before ?? ''];
  const below = [ABOVE_ALL, request.after ?? ABOVE_ALL];
  if (createdAfter) above.push(near(createdAfter, -CLOCK_SLACK_MS));
  if (createdBefore) below.push(near(databaseClock.latestOf(createdBefore), CLOCK_SLACK_MS));
  return {
    above: above.reduce((a, b) => (a > b ? a : b)),
    below: below.reduce((a, b) => (a < b ? a : b)),
    order: request.before === undefined ? 'DESC' : 'ASC',
  };
}
