import { Config, KeyedRateLimit, type RateLimitResult } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { DistributedRateLimit } from './distributed-rate-limit.js';
import { TokenLeases } from './token-leases.js';

/** Tokens per lease. */
const MAX_SLICE = 10;
/** A lease is at most this fraction of the limit, so that no process takes all tokens of a small one. */
const LEASES_PER_LIMIT = 10;

/**
 * Requests per second of an account, for all its keys and its SMTP submissions together. The standalone program counts in
 * memory; the programs of the distributed topology lease tokens from one bucket in the database.
 */
@Injectable()
export class RateLimit {
  private readonly limit: KeyedRateLimit | DistributedRateLimit;

  constructor(config: Config, database: Database) {
    const limit = config.settings.RATE_LIMIT_PER_SECOND;
    this.limit =
      config.program === 'standalone' || limit === 0
        ? new KeyedRateLimit({ limit })
        : distributedLimit(database, limit);
  }

  /**
   * Counts one request of the account. With `RATE_LIMIT_PER_SECOND=0` everything is allowed and `limit` is 0. Never rejects:
   * while the database is unavailable, each process counts by itself.
   */
  async take(accountId: string): Promise<RateLimitResult> {
    return this.limit.take(accountId);
  }
}

function distributedLimit(database: Database, limit: number): DistributedRateLimit {
  const slice = Math.min(MAX_SLICE, Math.max(1, Math.floor(limit / LEASES_PER_LIMIT)));
  const leases = new TokenLeases(database, { limit, slice });
  return new DistributedRateLimit({ limit, lease: (accountId) => leases.take(accountId) });
}
