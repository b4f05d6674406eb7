import type { Database } from '#libs/persistence';
import { HELD } from './throttling-store.js';

export interface DomainBacklog {
  domain: string;
  /** Recipients that are due and unclaimed, counted up to 10,000. */
  due: number;
  /** Age of the oldest of those counted, in seconds. */
  oldest: number;
}

export interface HeldBacklog {
  queue: string;
  /** Recipients held back by their queue, counted up to 10,000. */
  held: number;
}

const COUNTED_TO = 10_000;
/** Domains visited by one query; beyond this the result covers a part. */
const STEPS = 1_000;
const DUE = 'due_at IS NOT NULL AND claimed_by IS NULL AND is_due';

/** A loose index scan: the cost depends on the number of domains, not of messages. */
const walk = (name: string, condition: string): string => {
  const next = (behind: string) =>
    `SELECT ${name} AS name FROM recipients r WHERE ${name} > ${behind} AND ${condition} ORDER BY ${name} LIMIT 1`;
  return `WITH RECURSIVE walk AS (
    (SELECT first.name, 1 AS step FROM (${next(`''`)}) AS first)
    UNION ALL
    SELECT following.name, walk.step + 1 FROM walk CROSS JOIN LATERAL (${next('walk.name')}) AS following
    WHERE walk.step < ${STEPS})`;
};

/** Queue depths for metrics. */
export class QueueDepths {
  constructor(private readonly database: Database) {}

  async due(): Promise<DomainBacklog[]> {
    const { rows } = await this.database.query<DomainBacklog>(
      `${walk('r.domain', DUE)}
       SELECT walk.name AS domain, due.count AS due, due.oldest FROM walk CROSS JOIN LATERAL (
         SELECT count(*)::int AS count, extract(epoch FROM now() - min(due_at))::float AS oldest
         FROM (SELECT due_at FROM recipients WHERE domain = walk.name AND ${DUE} LIMIT ${COUNTED_TO}) AS counted) AS due
       ORDER BY due.count DESC`,
    );
    return rows;
  }

  async held(): Promise<HeldBacklog[]> {
    const { rows } = await this.database.query<HeldBacklog>(
      `${walk(`(r.wait_reason ->> 'queue')`, HELD)}
       SELECT walk.name AS queue, held.count AS held FROM walk CROSS JOIN LATERAL (
         SELECT count(*)::int AS count
         FROM (SELECT 1 FROM recipients WHERE wait_reason ->> 'queue' = walk.name AND ${HELD} LIMIT ${COUNTED_TO}) AS counted) AS held`,
    );
    return rows;
  }
}
