import { Lease, type Database, type Queryable } from '#libs/persistence';
import { shardNames } from './shard.js';

/** The stored positions of a consumer, by the names of its shards. */
export interface ShardPositions {
  /** The name of the lease of a shard. */
  leaseOf(name: string): string;
  /**
   * Puts the positions of `to` in place of those of `from`: at the first of these, so that nothing is left out and what is
   * ahead of it comes again.
   */
  replace(tx: Queryable, from: readonly string[], to: readonly string[]): Promise<void>;
}

/** The number of shards, and of the partitions of the topic whose keys they divide. */
export interface Division {
  shards: number;
  partitions: number;
}

/**
 * How a consumer is divided into shards. All processes must agree, because an event between two divisions would be in no
 * shard, or in two at once. The division is a row, and changes only while no process has the lease of a shard. Whoever has
 * taken a lease agrees on the division before it reads the position.
 */
export class ShardLayout {
  constructor(
    private readonly database: Database,
    private readonly consumer: string,
    private readonly positions: ShardPositions,
  ) {}

  /**
   * The division in force, for a process that has the lease of the shard `own`. It is the wanted one, unless other processes
   * work with another one.
   */
  agree(own: string, wanted: Division): Promise<Division> {
    return this.database.transaction(async (tx) => {
      await tx.query('INSERT INTO consumer_shards (consumer) VALUES ($1) ON CONFLICT DO NOTHING', [this.consumer]);
      const { rows } = await tx.query<Division>(
        'SELECT shards, partitions FROM consumer_shards WHERE consumer = $1 FOR UPDATE',
        [this.consumer],
      );
      const [stored] = rows;
      const isSame =
        stored.shards === wanted.shards && (wanted.shards === 1 || stored.partitions === wanted.partitions);
      if (isSame) return wanted;
      const old = shardNames(this.consumer, stored.shards);
      if (await this.areInUse(tx, old, own)) return stored;
      await this.positions.replace(tx, old, shardNames(this.consumer, wanted.shards));
      await tx.query('UPDATE consumer_shards SET shards = $2, partitions = $3 WHERE consumer = $1', [
        this.consumer,
        wanted.shards,
        wanted.partitions,
      ]);
      return wanted;
    });
  }

  /** Another shard of this process counts as well: it works with the old division. */
  private areInUse(tx: Queryable, names: readonly string[], own: string): Promise<boolean> {
    const leases = names.filter((name) => name !== own).map((name) => this.positions.leaseOf(name));
    return Lease.isAnyHeld(tx, leases);
  }
}
