import { Injectable } from '@nestjs/common';
import { Metrics } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Counter, Gauge } from 'prom-client';
import type { RelayedTable } from './relayed-table.js';

/** Events that have not reached all consumers yet. */
export interface LogBacklog {
  /** Events in the outbox; counted up to 10,000. */
  outbox: number;
  /** Age of the oldest of them. */
  oldestSeconds: number;
  /** Whether something keeps them from the log. */
  isOutboxLate: boolean;
  /** Position of the newest event in the log. */
  head: number;
  consumers: ConsumerLag[];
}

export interface ConsumerLag {
  consumer: string;
  /** Position of the last event that it has handled. */
  position: number;
  /** Events that it has not handled yet. */
  lag: number;
  /** When it last moved its position. */
  movedAt: Date;
  /** Whether it stands still although there are events, or is far behind. */
  isBehind: boolean;
}

const LATE_SECONDS = 60;
const LATE_MS = 60_000;
const FAR_BEHIND = 100_000;
/** A consumer that has not moved for so long belongs to a program or a store that is no longer used. */
const ABANDONED_MS = 7 * 86_400_000;

const OUTBOX = `
  SELECT (SELECT least(coalesce(sum(cardinality(event_id)), 0), 10000)::int
            FROM (SELECT event_id FROM outbox ORDER BY id LIMIT 10000) AS counted) AS count,
         coalesce((SELECT extract(epoch FROM now() - created_at[1])::float FROM outbox ORDER BY id LIMIT 1), 0) AS seconds`;
const CONSUMERS = `
  SELECT consumer, mine.position::float, (head.position - mine.position)::float AS lag, mine.updated_at AS "movedAt"
    FROM consumer_positions AS mine CROSS JOIN event_log_head AS head ORDER BY consumer`;

/** By the index on `tx`. Rows of transactions that were in progress at the last read are few and not counted. */
const waitingRows = (table: RelayedTable['table']): string => `
  (SELECT count(*)::int FROM (
     SELECT FROM ${table} WHERE tx >= pg_snapshot_xmax(mine.done) AND (tx, id) > (mine.tx, mine.row_id) LIMIT 10000) AS counted)`;
const RELAYS: Record<RelayedTable['topic'], string> = {
  'email.attempts.v1': waitingRows('attempts'),
  'webhook.deliveries.v1': waitingRows('webhook_attempts'),
};
/** Shards of a table read all of its rows: the one that is furthest behind counts. */
const RELAY_LAGS = `
  SELECT split_part(relay, ' ', 2) AS topic, max(CASE ${Object.entries(RELAYS)
    .map(([topic, count]) => `WHEN relay LIKE '% ${topic}%' THEN ${count}`)
    .join(' ')} END) AS lag FROM relay_positions AS mine GROUP BY topic`;

/** For the doctor and the operator's pages; the metrics have the same figures. */
export async function logBacklog(database: Database): Promise<LogBacklog> {
  const { rows } = await database.query<{ count: number; seconds: number }>(OUTBOX);
  const heads = await database.query<{ position: number }>('SELECT position::float FROM event_log_head');
  const consumers = await database.query<Omit<ConsumerLag, 'isBehind'>>(CONSUMERS);
  return {
    outbox: rows[0].count,
    oldestSeconds: rows[0].seconds,
    isOutboxLate: rows[0].seconds > LATE_SECONDS,
    head: heads.rows[0]?.position ?? 0,
    consumers: consumers.rows.map((one) => ({ ...one, isBehind: isBehind(one) })),
  };
}

export function isBehind({ lag, movedAt }: Pick<ConsumerLag, 'lag' | 'movedAt'>, now = Date.now()): boolean {
  const stillMs = now - movedAt.getTime();
  return lag > FAR_BEHIND || (lag > 0 && stillMs > LATE_MS && stillMs < ABANDONED_MS);
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
        this.reset();
        for (const { consumer, lag } of await lags()) this.set({ consumer }, lag);
      },
    });
    const relayLags = () => this.relayLags();
    new Gauge({
      name: 'postloft_kafka_relay_lag_rows',
      help: 'Delivery attempts and webhook deliveries that are not in their Kafka topic yet; counted up to 10,000.',
      labelNames: ['topic'],
      registers: [metrics.registry],
      async collect() {
        this.reset();
        for (const { topic, lag } of await relayLags()) this.set({ topic }, lag);
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

  /** Empty without Kafka, and while the database is unavailable. */
  private async relayLags(): Promise<{ topic: string; lag: number }[]> {
    try {
      const { rows } = await this.database.query<{ topic: string; lag: number | null }>(RELAY_LAGS);
      return rows.flatMap(({ topic, lag }) => (lag === null ? [] : [{ topic, lag }]));
    } catch {
      return [];
    }
  }

  /** Empty while the database is unavailable, so that the other metrics can still be scraped. */
  private async lags(): Promise<Pick<ConsumerLag, 'consumer' | 'lag'>[]> {
    try {
      return (await this.database.query<ConsumerLag>(CONSUMERS)).rows;
    } catch {
      return [];
    }
  }
}
