import type { Metrics } from '#libs/kernel';
import { Gauge } from 'prom-client';
import { startOfDay } from './partitioned-tables.js';
import type { Partitions, PartitionState } from './partitions.js';

/** Days after today for which partitions exist without a gap; -1 if there is none for today. */
export function daysAhead({ days }: PartitionState, now: Date): number {
  const known = new Set(days.map((day) => day.getTime()));
  let ahead = -1;
  while (known.has(startOfDay(now, ahead + 1).getTime())) ahead += 1;
  return ahead;
}

/** Queried when the metrics are scraped; absent while the database is unavailable. */
export function registerPartitionMetrics(partitions: Partitions, { registry }: Metrics): void {
  const gauge = (name: string, help: string, value: (state: PartitionState) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['table'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const state of await partitions.recentStates().catch(() => []))
          this.set({ table: state.table }, value(state));
      },
    });
  gauge('postloft_partitions', 'Day partitions of a table.', ({ days }) => days.length);
  gauge(
    'postloft_partitions_kept',
    'Days whose partition was dropped except for the rows of emails that are still to be delivered.',
    ({ keptDays }) => keptDays,
  );
  gauge(
    'postloft_partitions_ahead_days',
    'Days after today for which a table has partitions; -1: none for today.',
    (state) => daysAhead(state, new Date()),
  );
  gauge(
    'postloft_partition_oldest_age_seconds',
    'Time since the beginning of the oldest day partition of a table.',
    ({ days }) => (days.length === 0 ? 0 : Math.max(0, Date.now() - days[0].getTime()) / 1_000),
  );
  gauge(
    'postloft_partition_default_rows',
    'Rows of days without a partition, in the DEFAULT partition of a table; counted up to 10,000.',
    ({ defaultRows }) => defaultRows,
  );
}
