import type { Expired } from '../partitions/partitions.js';

/** Deletions by kind of data: those of a partitioned table, or a number of rows, which is logged at debug level only. */
export type Deletions = Readonly<Record<string, Expired | number>>;

/** Which of several programs delete: the one that holds the lease, or all of them, each other rows. */
type Deleters = 'one' | 'everywhere';

/** Data of a library that expires. */
export interface ExpiringData {
  /** As it appears in the log. */
  name: string;
  /** Deletes the data whose time is over at `now`. A failure is repeated in the next round. */
  expire(now: Date): Promise<Deletions>;
  deleters: Deleters;
  /** When the time of the oldest data that is still there was over; null: there is none. */
  overdueSince(now: Date): Promise<Date | null>;
}

/** Data that is still there more than a day after its time. */
export interface LateData {
  name: string;
  since: Date;
}

/** Partitions are dropped in rounds, and after a pause it takes some time to delete everything. */
const LATE_MS = 86_400_000;

/** Each library registers its data when its module is created; the retention job deletes it. */
export class RetentionRegistry {
  private readonly data: ExpiringData[] = [];

  /** Data registered by one module expires in the order of its registration. */
  register(
    name: string,
    expire: ExpiringData['expire'],
    {
      deleters = 'one',
      overdueSince = async () => null,
    }: Partial<Pick<ExpiringData, 'deleters' | 'overdueSince'>> = {},
  ): void {
    if (this.data.some((other) => other.name === name)) throw new Error(`${name} is registered for retention already`);
    this.data.push({ name, expire, deleters, overdueSince });
  }

  all(): readonly ExpiringData[] {
    return this.data;
  }

  /** The data of which something is overdue, and since when. */
  async overdue(now: Date): Promise<LateData[]> {
    const overdue: LateData[] = [];
    for (const data of this.data) {
      const since = await data.overdueSince(now);
      if (since !== null) overdue.push({ name: data.name, since });
    }
    return overdue;
  }

  async late(now: Date): Promise<LateData[]> {
    return (await this.overdue(now)).filter(({ since }) => now.getTime() - since.getTime() > LATE_MS);
  }
}
