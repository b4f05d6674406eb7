import { Config } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { LeasedBuckets } from './leased-buckets.js';
import { RateLeases } from './rate-leases.js';
import { TokenBuckets, type RateVerdict } from './token-buckets.js';

const MAX_SLICE = 10;
/** A slice is at most this part of the limit, so that one process never takes all of a small one. */
const SLICES = 10;

/**
 * Requests per second of an account, all its keys and its SMTP submissions together (D-52). The standalone program
 * counts in memory; the programs of the distributed topology spend slices of one bucket in the database.
 */
@Injectable()
export class RateLimit {
  private readonly buckets: TokenBuckets | LeasedBuckets;

  constructor(config: Config, database: Database) {
    const limit = config.settings.RATE_LIMIT_PER_SECOND;
    this.buckets =
      config.program === 'standalone' || limit === 0 ? new TokenBuckets(limit) : sharedBuckets(database, limit);
  }

  /**
   * Takes one request from the account's budget. With `RATE_LIMIT_PER_SECOND=0` all is allowed and `limit` is 0. Never
   * rejects: while the database is away, each process counts by itself.
   */
  async take(accountId: string): Promise<RateVerdict> {
    return this.buckets.take(accountId);
  }
}

function sharedBuckets(database: Database, limit: number): LeasedBuckets {
  const slice = Math.min(MAX_SLICE, Math.max(1, Math.floor(limit / SLICES)));
  const leases = new RateLeases(database, { limit, slice });
  return new LeasedBuckets({ limit, lease: (accountId) => leases.take(accountId) });
}
