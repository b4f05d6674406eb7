import { lowestIdAt, type IdPrefix } from '#libs/contracts';

/** A table that has one partition per day (UTC), and a DEFAULT partition for rows of days without one. */
export interface PartitionedTable {
  name: string;
  /** The column that decides the partition. */
  key: string;
  /** What the column contains: ids, which hold the time at which they were made, or a time. */
  keyKind: IdPrefix | 'time';
  /** Storage parameters, which partitioned tables cannot have themselves. */
  storage?: string;
  /** The column with most of the bytes of a row, where rows differ much in size. */
  bulk?: string;
}

/** Every partitioned table of the schema. */
export const PARTITIONED_TABLES = {
  event_log: { name: 'event_log', key: 'moved_at', keyKind: 'time' },
  event_log_accounts: { name: 'event_log_accounts', key: 'moved_at', keyKind: 'time' },
  request_log: { name: 'request_log', key: 'id', keyKind: 'log' },
  attempts: { name: 'attempts', key: 'email_id', keyKind: 'em' },
  email_contents: { name: 'email_contents', key: 'email_id', keyKind: 'em', bulk: 'body' },
  captured_messages: { name: 'captured_messages', key: 'id', keyKind: 'cap' },
} as const satisfies Record<string, PartitionedTable>;
export type PartitionedTableName = keyof typeof PARTITIONED_TABLES;

const DAY_MS = 86_400_000;

/** Midnight (UTC) at the beginning of the day, and of those after it. */
export const startOfDay = (time: Date, daysLater = 0): Date =>
  new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS + daysLater * DAY_MS);

export const partitionName = ({ name }: PartitionedTable, day: Date): string =>
  `${name}_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;

/** The partition that replaces the one of a day whose time is over, with the rows that are kept longer. */
export const keptName = (table: PartitionedTable, day: Date): string => `${partitionName(table, day)}_kept`;

/** The day whose kept rows a partition has; null for other partitions. */
export const dayOfKept = (table: PartitionedTable, partition: string): Date | null =>
  partition.endsWith('_kept') ? dayOfPartition(table, partition.slice(0, -'_kept'.length)) : null;

/** The day of a partition; null for DEFAULT and for names that this service does not give. */
export function dayOfPartition({ name }: PartitionedTable, partition: string): Date | null {
  const [, year, month, day] = /^_(\d{4})(\d{2})(\d{2})$/.exec(partition.slice(name.length)) ?? [];
  return partition.startsWith(name) && year !== undefined ? new Date(`${year}-${month}-${day}T00:00:00Z`) : null;
}

/** The lowest value of the key for rows of this time. Contains no quotes. */
export const boundAt = ({ keyKind }: PartitionedTable, time: Date): string =>
  keyKind === 'time' ? time.toISOString() : lowestIdAt(keyKind, time);
