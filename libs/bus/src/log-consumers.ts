import { Injectable } from '@nestjs/common';
import { Config } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';

/** A reader of the event log, or of a table that is copied to Kafka, with its stored position. */
export interface LogConsumer {
  consumer: string;
  /** Events that it has not handled; null for a table. */
  lag: number | null;
  /** A process has its lease. */
  isRunning: boolean;
  /** When a process last had the lease, or moved the position. */
  lastActive: Date;
}

/** The positions of both kinds, each with the name of its lease. */
const POSITIONS = `
  SELECT consumer, 'consumer ' || consumer AS lease, position, updated_at FROM consumer_positions
  UNION ALL SELECT relay, relay, NULL, updated_at FROM relay_positions`;

/** A lease expires after 12 s; a process that runs has renewed it, whether or not there are events. */
const CONSUMERS = `
  SELECT p.consumer, p.lease, (head.position - p.position)::float AS lag,
         l.owner IS NOT NULL AND l.heartbeat_at > now() - interval '1 minute' AS "isRunning",
         greatest(p.updated_at, l.heartbeat_at) AS "lastActive"
    FROM (${POSITIONS}) AS p CROSS JOIN event_log_head AS head LEFT JOIN leases l ON l.name = p.lease`;

/**
 * Positions outlive the processes that store them. A consumer that nothing runs any more, such as the copy to a Kafka that is not used
 * any longer, is forgotten after RETENTION_EVENTS: the log has no event left that it would go on with.
 */
@Injectable()
export class LogConsumers {
  constructor(
    private readonly database: Database,
    private readonly retention: number,
  ) {}

  static of(database: Database, { settings }: Config): LogConsumers {
    return new LogConsumers(database, settings.RETENTION_EVENTS);
  }

  async list(): Promise<LogConsumer[]> {
    const { rows } = await this.database.query<LogConsumer>(
      `SELECT consumer, lag, "isRunning", "lastActive" FROM (${CONSUMERS}) AS found ORDER BY consumer`,
    );
    return rows;
  }

  /** Forgets a consumer. One that starts again under its name begins with the oldest event. */
  async remove(consumer: string): Promise<'removed' | 'running' | 'unknown'> {
    const found = (await this.list()).find((one) => one.consumer === consumer);
    if (found === undefined) return 'unknown';
    if (found.isRunning) return 'running';
    return (await this.forget(`consumer = $1 AND NOT "isRunning"`, consumer)).length > 0 ? 'removed' : 'running';
  }

  /** Forgets those that nothing has run for as long as events are kept. Returns their names. */
  prune(now: Date): Promise<string[]> {
    return this.forget(`"lastActive" < $1 AND NOT "isRunning"`, new Date(now.getTime() - this.retention));
  }

  private async forget(condition: string, value: unknown): Promise<string[]> {
    const { rows } = await this.database.query<{ consumer: string; lease: string }>(
      `SELECT consumer, lease FROM (${CONSUMERS}) AS found WHERE ${condition}`,
      [value],
    );
    const forgotten: string[] = [];
    for (const { consumer, lease } of rows)
      if (await this.database.transaction((tx) => forget(tx, { consumer, lease }))) forgotten.push(consumer);
    return forgotten;
  }
}

/** False if a process has taken the lease meanwhile; the lock keeps others from taking it. */
async function forget(tx: Queryable, { consumer, lease }: { consumer: string; lease: string }): Promise<boolean> {
  const { rows } = await tx.query<{ running: boolean }>(
    `SELECT owner IS NOT NULL AND heartbeat_at > now() - interval '1 minute' AS running
       FROM leases WHERE name = $1 FOR UPDATE`,
    [lease],
  );
  if (rows.at(0)?.running) return false;
  await tx.query('DELETE FROM consumer_positions WHERE consumer = $1', [consumer]);
  await tx.query('DELETE FROM relay_positions WHERE relay = $1', [consumer]);
  return true;
}
