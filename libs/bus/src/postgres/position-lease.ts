import { backoffMs, sleep } from '#libs/kernel';
import { shardNames } from '../shards/shard.js';
import type { ShardPositions } from '../shards/shard-layout.js';
import { Lease, type Database, type Worker, databaseErrors } from '#libs/persistence';

/** The stored position of a consumer of the PostgreSQL log; 0 before its first batch. */
async function storedPosition(database: Database, consumer: string): Promise<number> {
  const { rows } = await database.query<{ position: string }>(
    'SELECT position FROM consumer_positions WHERE consumer = $1',
    [consumer],
  );
  return Number(rows[0]?.position ?? 0);
}

/** Every event up to it is handled by the consumer, in whatever shards. */
export async function handledPosition(database: Database, consumer: string): Promise<number> {
  const { rows } = await database.query<{ shards: number }>('SELECT shards FROM consumer_shards WHERE consumer = $1', [
    consumer,
  ]);
  const positions = shardNames(consumer, rows.at(0)?.shards ?? 1).map((name) => storedPosition(database, name));
  return Math.min(...(await Promise.all(positions)));
}

/** The name of the lease of a consumer. */
const leaseOf = (consumer: string): string => `consumer ${consumer}`;

export const LOG_POSITIONS: ShardPositions = {
  leaseOf,
  replace: async (tx, from, to) => {
    const { rows } = await tx.query<{ position: string }>(
      'DELETE FROM consumer_positions WHERE consumer = ANY($1) RETURNING position',
      [from],
    );
    const first = rows.length < from.length ? 0 : Math.min(...rows.map(({ position }) => Number(position)));
    await tx.query(
      'INSERT INTO consumer_positions (consumer, position) SELECT name, $2 FROM unnest($1::text[]) AS name',
      [to, first],
    );
  },
};

/**
 * The right to advance the position of one consumer. The position is stored only while the fence of the lease is
 * unchanged; the update compares the old position in addition.
 */
export class PositionLease {
  /** All events up to it are handled. */
  position = 0;
  private readonly lease: Lease;

  constructor(
    private readonly database: Database,
    worker: Pick<Worker, 'id' | 'register'>,
    private readonly consumer: string,
  ) {
    this.lease = new Lease(database, worker, leaseOf(consumer));
  }

  /** Takes the lease; false while another process holds it. */
  take(): Promise<boolean> {
    return this.lease.take();
  }

  /** Reads the position, once the lease is taken. */
  async begin(): Promise<void> {
    await this.database.query(
      'INSERT INTO consumer_positions (consumer, position) VALUES ($1, 0) ON CONFLICT DO NOTHING',
      [this.consumer],
    );
    this.position = await storedPosition(this.database, this.consumer);
  }

  /** @throws if the lease is lost, or if other processes may regard it as expired */
  check(): void {
    this.lease.held();
  }

  /**
   * Stores the position; repeated while the database does not answer, because a batch that was handled must not be repeated
   * without need.
   * @throws if the lease is lost, or another process has changed the position
   */
  advance(to: number, stopping: AbortSignal): Promise<void> {
    return storeWhenAvailable(() => this.store(to), stopping);
  }

  private async store(to: number): Promise<void> {
    const { name, owner, fence } = this.lease.held();
    // A position that a crash of the database loses only repeats a batch, which is cheaper than a flush. The new position is
    // found when the answer to the first attempt was lost.
    const { rowCount } = await this.database.query({
      name: 'bus-position-advance',
      text: `UPDATE consumer_positions SET position = $3, updated_at = now()
              WHERE consumer = $1 AND position IN ($2, $3)
                AND EXISTS (SELECT FROM leases WHERE name = $4 AND owner = $5 AND fence = $6)
             RETURNING set_config('synchronous_commit', 'off', true)`,
      values: [this.consumer, this.position, to, name, owner, fence],
    });
    if (rowCount !== 1) throw new Error(`the position of consumer ${this.consumer} was changed by another process`);
    this.position = to;
  }

  release(): Promise<void> {
    return this.lease.release();
  }
}

/** Repeats `store` while the database is unavailable, unless the process stops. */
export async function storeWhenAvailable(store: () => Promise<void>, stopping: AbortSignal): Promise<void> {
  for (let failures = 1; ; failures++) {
    try {
      return await store();
    } catch (error) {
      if (!databaseErrors.isUnavailable(error) || stopping.aborted) throw error;
      await sleep(backoffMs(failures), stopping);
    }
  }
}
