import { Injectable } from '@nestjs/common';
import { Metrics } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Gauge } from 'prom-client';

/** How far each consumer is behind, as metrics. That of the PostgreSQL log is asked for when the metrics are read. */
@Injectable()
export class LogLag {
  private readonly records: Gauge<'consumer' | 'partition'>;

  constructor(
    metrics: Metrics,
    private readonly database: Database,
  ) {
    const positions = () => this.positions();
    new Gauge({
      name: 'postloft_log_lag_events',
      help: 'Events in the log that a consumer has not handled yet.',
      labelNames: ['consumer'],
      registers: [metrics.registry],
      async collect() {
        for (const { consumer, lag } of await positions()) this.set({ consumer }, lag);
      },
    });
    this.records = new Gauge({
      name: 'postloft_kafka_lag_records',
      help: 'Records in a Kafka partition that a consumer of this process has not handled yet.',
      labelNames: ['consumer', 'partition'],
      registers: [metrics.registry],
    });
  }

  ofPartition(consumer: string, partition: number, records: number): void {
    this.records.set({ consumer, partition: String(partition) }, Math.max(0, records));
  }

  /** Nothing while the database is away: the other metrics are wanted all the more then. */
  private async positions(): Promise<{ consumer: string; lag: number }[]> {
    try {
      const { rows } = await this.database.query<{ consumer: string; lag: string }>(
        `SELECT consumer, head.position - mine.position AS lag
           FROM consumer_positions AS mine CROSS JOIN event_log_head AS head`,
      );
      return rows.map(({ consumer, lag }) => ({ consumer, lag: Number(lag) }));
    } catch {
      return [];
    }
  }
}
