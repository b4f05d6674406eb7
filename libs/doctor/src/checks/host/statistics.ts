import { StatisticsRecord } from '#libs/bus';
import type { Database } from '#libs/persistence';
import { ok, warning, type Result } from '../../check.js';

const SUBJECT = 'statistics';
const NAMED_DAYS = 10;

/** The days of which the statistics store lacks events. */
export async function statisticsResults(database: Database): Promise<Result[]> {
  const incomplete = await new StatisticsRecord(database).incompleteDays();
  if (incomplete.length === 0) return [ok({ subject: SUBJECT, message: 'No day is known to lack events.' })];
  const days = incomplete.map(({ day }) => day);
  const named = days.slice(-NAMED_DAYS).join(', ');
  const tables = [...new Set(incomplete.flatMap(({ lacking }) => lacking.map(({ table }) => table)))].sort();
  return [
    warning({
      subject: SUBJECT,
      message: `${days.length === 1 ? 'One day lacks' : `${days.length} days lack`} events, which the event log no longer has: ${named}${days.length > NAMED_DAYS ? ' and earlier ones' : ''}.`,
      fix: 'Stop the service, then: npm run -s cli -- stats recover   # reads the files back that were set aside',
      facts: { days, tables },
    }),
  ];
}
