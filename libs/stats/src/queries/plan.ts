import { Refusal } from '#libs/contracts';
import type { MetricsQuery } from '../metrics-query.js';
import { MAX_ROWS, type MetricsPlan } from '../metrics-sql.js';
import { periodStarts } from '../periods.js';
import { answerableRange, segmentsOf, unitOf, type Kept, type Rollup, type Segment } from './segments.js';

/** The query with the range that can be answered, and how. */
export interface PlannedQuery {
  query: MetricsQuery;
  plan: MetricsPlan;
  /** The same from single events, if these are all kept; null if it is so already, or cannot be. */
  fromEvents: MetricsPlan | null;
}

/**
 * Chooses the coarsest tables that answer a query exactly.
 * @throws Refusal `invalid_parameter` if rows that the query needs have expired, or if it has too many periods
 */
export function planMetrics(asked: MetricsQuery, kept: Kept): PlannedQuery {
  const rollup: Rollup = asked.groupBy.length > 0 ? 'groups' : 'counts';
  const range = answerableRange(asked, rollup, kept);
  const query = { ...asked, ...range };
  const starts = query.dimensions.includes('period') ? periodStarts(query, MAX_ROWS + 1) : [];
  if (starts.length > MAX_ROWS) throw tooManyRows();
  const [from, to] = [range.from.getTime(), range.to.getTime()];
  const hasEvents = from >= kept.events;
  const fromEvents = { segments: [{ source: 'events', from, to }] as const, starts, nullIsWhole: false };
  if (needsEvents(query)) {
    if (!hasEvents) throw expired('start_date', eventsReason(query), kept.events);
    return { query, plan: fromEvents, fromEvents: null };
  }
  const segments = segmentsOf(range, { rollup, unit: unitOf(starts, range), kept });
  if (segments === null)
    throw expired('granularity', `granularity=${query.granularity}`, Math.min(...Object.values(kept)));
  const nullIsWhole = query.groupBy.length > 0;
  return { query, plan: { segments, starts, nullIsWhole }, fromEvents: hasEvents ? fromEvents : null };
}

/** The tables that have the totals of a range, or of the part of it that is still kept. */
export function segmentsOfTotals(range: { from: Date; to: Date }, kept: Kept): readonly Segment[] {
  const answerable = answerableRange(range, 'counts', kept);
  return segmentsOf(answerable, { rollup: 'counts', unit: unitOf([], answerable), kept }) ?? [];
}

/** Roll-ups have no single messages, and one dimension each. */
const needsEvents = ({ emailIds, dimensions, groupBy }: MetricsQuery): boolean =>
  emailIds !== null || dimensions.includes('email') || groupBy.length > 1;

const eventsReason = ({ emailIds, dimensions }: MetricsQuery): string => {
  if (emailIds !== null) return 'email_id';
  return dimensions.includes('email') ? 'dimensions=email' : 'more than one group';
};

function expired(field: string, reason: string, since: number): Refusal {
  const oldest = new Date(Math.ceil(since / 1_000) * 1_000).toISOString();
  const message = `must not need more than is kept: with ${reason}, the range must start at ${oldest} or later`;
  return new Refusal(
    'invalid_parameter',
    [{ field, code: 'expired', message }],
    `Statistics of single events and minutes are not kept for ever. With ${reason}, the range must start at ${oldest} or later.`,
  );
}

export const tooCostly = () =>
  new Refusal(
    'invalid_parameter',
    [
      {
        field: 'dimensions',
        code: 'too_costly',
        message: 'must not make the query exceed the limits of the statistics store',
      },
    ],
    'The query needs more than the statistics store permits. Ask for a shorter time, a coarser granularity or fewer dimensions.',
  );

export const tooManyRows = () =>
  new Refusal(
    'invalid_parameter',
    [{ field: 'dimensions', code: 'too_many_rows', message: `must not lead to more than ${MAX_ROWS} rows` }],
    `The answer would have more than ${MAX_ROWS} rows. Ask for a shorter time, a coarser granularity or fewer dimensions.`,
  );
