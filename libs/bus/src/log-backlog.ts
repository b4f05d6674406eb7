import type { Database } from '#libs/persistence';

/** What happened and has not reached everybody yet. */
export interface LogBacklog {
  /** Events without a place in the log; counted to 10,000. */
  outbox: number;
  /** Seconds for which the first of them waits. */
  oldestSeconds: number;
  /** Events that each consumer has still to read. */
  consumers: { consumer: string; lag: number }[];
}

const OUTBOX = `
  SELECT (SELECT count(*)::int FROM (SELECT 1 FROM outbox ORDER BY id LIMIT 10000) AS counted) AS count,
         coalesce((SELECT extract(epoch FROM now() - created_at)::float FROM outbox ORDER BY id LIMIT 1), 0) AS seconds`;
const CONSUMERS = `
  SELECT consumer, (head.position - mine.position)::float AS lag
    FROM consumer_positions AS mine CROSS JOIN event_log_head AS head ORDER BY consumer`;

/** For the operator; metrics tell the same all the time. */
export async function logBacklog(database: Database): Promise<LogBacklog> {
  const { rows } = await database.query<{ count: number; seconds: number }>(OUTBOX);
  const consumers = await database.query<LogBacklog['consumers'][number]>(CONSUMERS);
  return { outbox: rows[0].count, oldestSeconds: rows[0].seconds, consumers: consumers.rows };
}
