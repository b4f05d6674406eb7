import { Injectable } from '@nestjs/common';
import { Metrics } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Counter, Gauge } from 'prom-client';

/** Events that have not reached all consumers yet. */
export interface LogBacklog {
  /** Events in the outbox; counted up to 10,000. */
  outbox: number;
  /** Age of the oldest of them. */
  oldestSeconds: number;
  /** Events that each consumer has not handled yet. */
  consumers: ConsumerLag[];
}

interface ConsumerLag {
  consumer: string;
  lag: number;
}

const OUTBOX = `
  SELECT (SELECT least(coalesce(sum(cardinality(event_id)), 0), 10000)::int
            FROM (SELECT event_id FROM outbox ORDER BY id LIMIT 10000) AS counted) AS count,
         coalesce((SELECT extract(epoch FROM now() - created_at[1])::float FROM outbox ORDER BY id LIMIT 1), 0) AS seconds`;
const CONSUMERS = `
  SELECT consumer, (head.position - mine.position)::float AS lag
    FROM consumer_positions AS mine CROSS JOIN event_log_head AS head ORDER BY consumer`;

/** For the doctor; the metrics have the same figures. */
export async function logBacklog(database: Database): Promise<LogBacklog> {
  const { rows } = await database.query<{ count: number; seconds: number }>(OUTBOX);
  const consumers = await database.query<ConsumerLag>(CONSUMERS);
  return { outbox: rows[0].count, oldestSeconds: rows[0].seconds, consumers: consumers.rows };
}

/** The lag of each consumer as metrics. Positions in the PostgreSQL log are queried when the metrics are scraped. */
@Injectable()
export class LogLag {
  private readonly records: Gauge<'consumer' | 'partition'>;
  private readonly lost: Counter<'consumer'>;

  constructor(
    metrics: Metrics,
    private readonly database: Database,
  ) {
    const lags = () => this.lags();
    new Gauge({
      name: 'postloft_log_lag_events',
      help: 'Events in the log that a consumer has not handled yet.',
      labelNames: ['consumer'],
      registers: [metrics.registry],
      async collect() {
        for (const { consumer, lag } of await lags()) this.set({ consumer }, lag);
      },
    });
    this.lost = new Counter({
      name: 'postloft_log_lost_events_total',
      help: 'Events that were dropped from the event log (RETENTION_EVENTS) before a consumer had handled them.',
      labelNames: ['consumer'],
      registers: [metrics.registry],
    });
    this.records = new Gauge({
      name: 'postloft_kafka_lag_records',
      help: 'Records in a Kafka partition that a consumer of this process has not handled yet.',
      labelNames: ['consumer', 'partition'],
      registers: [metrics.registry],
    });
  }

  countLost(consumer: string, events: number): void {
    this.lost.inc({ consumer }, events);
  }

  setPartition(consumer: string, partition: number, records: number): void {
    this.records.set({ consumer, partition: String(partition) }, Math.max(0, records));
  }

  /** Empty while the database is unavailable, so that the other metrics can still be scraped. */
  private async lags(): Promise<ConsumerLag[]> {
    try {
      return (await this.database.query<ConsumerLag>(CONSUMERS)).rows;
    } catch {
      return [];
    }
  }
}
