import { emailsOverdueSince } from '#libs/emails';
import type { Config } from '#libs/kernel';
import { ClockRecord, daysAhead, Partitions, startOfDay, type Database, type PartitionState } from '#libs/persistence';
import { ok, warning, type Result } from '../../check.js';

const DAY_MS = 86_400_000;
/** A new database has so many, until the program `delivery` has made more. */
const FEW_DAYS = 1;
const SUBJECT = 'partitions';

/** Whether the day partitions of the tables are created ahead and dropped in time. */
export async function partitionResults(
  database: Database,
  settings: Config['settings'],
  now = new Date(),
): Promise<Result[]> {
  const states = await new Partitions(database).states();
  const results = states.flatMap((state) => checkFuture(state, now));
  const paused = await checkClock(database);
  // Partitions whose time is over are the consequence.
  if (paused !== null) return [...results, paused];
  results.push(...states.flatMap((state) => checkPast(state, settings, now)));
  results.push(...(await checkEmails(database, settings, now)));
  return results.length > 0
    ? results
    : [ok({ subject: SUBJECT, message: 'Each day of the next week has its partitions.' })];
}

async function checkClock(database: Database): Promise<Result | null> {
  const found = await new ClockRecord(database).suspicion(0);
  if (found === null) return null;
  const [present, lastTrusted, trustedFrom] = [found.present, found.lastTrusted, found.trustedFrom].map((time) =>
    time.toISOString(),
  );
  return warning({
    subject: 'retention',
    message: `Nothing expires: the clock shows ${present}, and the service last saw it run at ${lastTrusted}.`,
    fix: `If the clock is right: npm run -s cli -- retention confirm   (otherwise set it right; it is trusted from ${trustedFrom} on)`,
    facts: { present, last_trusted: lastTrusted, trusted_from: trustedFrom },
  });
}

function checkFuture(state: PartitionState, now: Date): Result[] {
  const { table, defaultRows } = state;
  const results: Result[] = [];
  const ahead = daysAhead(state, now);
  if (ahead < FEW_DAYS)
    results.push(
      warning({
        subject: SUBJECT,
        message: `${table} has no partition for ${ahead < 0 ? 'today' : 'tomorrow'}. Mail is accepted without them; deleting it later takes longer.`,
        fix: 'Is the service (or start:delivery) running, and does its database user own the table? Its log says why a partition was not made.',
      }),
    );
  if (defaultRows > 0)
    results.push(
      warning({
        subject: SUBJECT,
        message: `${table}_default has ${defaultRows === 10_000 ? 'at least 10000' : defaultRows} rows, of days without a partition.`,
        fix: 'Nothing has to be done: they are moved to a partition or deleted when their time is over.',
        facts: { rows: defaultRows },
      }),
    );
  return results;
}

function checkPast({ table, days }: PartitionState, settings: Config['settings'], now: Date): Result[] {
  // A day more: partitions are dropped as a whole, in rounds.
  const before = new Date(now.getTime() - periodOf(table, settings) - DAY_MS);
  const late = days.filter((day) => startOfDay(day, 1) <= before);
  if (late.length === 0) return [];
  return [
    warning({
      subject: SUBJECT,
      message: `${table} still has ${late.length} days from ${late[0].toISOString().slice(0, 10)} on, whose time is over.`,
      fix: 'Is the service (or start:delivery) running? Its log says why a partition was not dropped.',
      facts: { days: late.length },
    }),
  ];
}

async function checkEmails(database: Database, settings: Config['settings'], now: Date): Promise<Result[]> {
  const since = await emailsOverdueSince(database, settings.RETENTION_MESSAGES, now);
  if (since === null || now.getTime() - since.getTime() <= DAY_MS) return [];
  return [
    warning({
      subject: 'retention',
      message: `Emails whose time was over at ${since.toISOString()} are not deleted yet.`,
      fix: 'Is the service (or start:delivery) running? If its log has no failures of retention, start further delivery programs: each deletes other emails.',
      facts: { overdue_since: since },
    }),
  ];
}

function periodOf(table: PartitionState['table'], settings: Config['settings']): number {
  switch (table) {
    case 'event_log':
    case 'event_log_accounts':
      return settings.RETENTION_EVENTS;
    case 'request_log':
      return settings.RETENTION_REQUEST_LOG;
    case 'attempts':
      return settings.RETENTION_ATTEMPTS;
    case 'email_contents':
      return settings.RETENTION_BODIES;
    case 'captured_messages':
      return settings.RETENTION_CAPTURED;
  }
}
