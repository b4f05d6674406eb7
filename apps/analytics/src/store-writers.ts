import { Injectable } from '@nestjs/common';
import { Config } from '#libs/kernel';
import { Database, Lease, Worker } from '#libs/persistence';

/** The processes that write to the statistics store. Several are possible with a server only. */
@Injectable()
export class StoreWriters {
  constructor(
    private readonly database: Database,
    private readonly worker: Worker,
    private readonly config: Config,
  ) {}

  /** Lets other processes count this one. */
  async register(): Promise<void> {
    if (this.config.settings.CLICKHOUSE_URL !== undefined) await this.worker.register();
  }

  /** The right of one process to add what the store of this consumer lacks. */
  gapLease(consumer: string): Lease {
    return new Lease(this.database, this.worker, `statistics gaps of ${consumer}`);
  }

  /** A repair replaces rows, so that no other process may insert any. Replicas of a cluster repair each other. */
  async isOnlyOne(): Promise<boolean> {
    const { CLICKHOUSE_URL, CLICKHOUSE_CLUSTER } = this.config.settings;
    if (CLICKHOUSE_URL === undefined) return true;
    if (CLICKHOUSE_CLUSTER !== undefined) return false;
    return (await Worker.countAlive(this.database, ['standalone', 'analytics'])) <= 1;
  }
}
