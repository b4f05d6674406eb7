import { Config } from '#libs/kernel';
import { Injectable } from '@nestjs/common';
import { TokenBuckets, type RateVerdict } from './token-buckets.js';

/** Requests per second of an account, all its keys and its SMTP submissions together; counted in this process. */
@Injectable()
export class RateLimit {
  private readonly buckets: TokenBuckets;

  constructor(config: Config) {
    this.buckets = new TokenBuckets(config.settings.RATE_LIMIT_PER_SECOND);
  }

  /** Takes one request from the account's budget. With `RATE_LIMIT_PER_SECOND=0` all is allowed and `limit` is 0. */
  take(accountId: string): RateVerdict {
    return this.buckets.take(accountId);
  }
}
