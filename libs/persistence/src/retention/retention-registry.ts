import type { Expired } from '../partitions/partitions.js';

/** Deletions by kind of data: those of a partitioned table, or a number of rows, which is logged at debug level only. */
export type Deletions = Readonly<Record<string, Expired | number>>;

/** Data of a library that expires. */
export interface ExpiringData {
  /** As it appears in the log. */
  name: string;
  /** Deletes the data whose time is over at `now`. A failure is repeated in the next round. */
  expire(now: Date): Promise<Deletions>;
}

/** Each library registers its data when its module is created; the retention job deletes it. */
export class RetentionRegistry {
  private readonly data: ExpiringData[] = [];

  /** Data registered by one module expires in the order of its registration. */
  register(name: string, expire: ExpiringData['expire']): void {
    if (this.data.some((other) => other.name === name)) throw new Error(`${name} is registered for retention already`);
    this.data.push({ name, expire });
  }

  all(): readonly ExpiringData[] {
    return this.data;
  }
}
