import { Injectable } from '@nestjs/common';
import { TokenBuckets } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { limitedNetwork } from './limited-network.js';

/** A mailbox provider sends the clicks of all its users from few addresses; one person needs two requests. */
const PER_SECOND = 50;

/** What pages without a key may be asked for: so much from one address, whatever account the mail is of. */
@Injectable()
export class AddressLimit {
  private readonly buckets = new TokenBuckets(PER_SECOND);

  /** @throws Refusal `rate_limit_exceeded`. */
  take(address: string): void {
    const { allowed, resetSeconds } = this.buckets.take(limitedNetwork(address));
    if (!allowed)
      throw new Refusal('rate_limit_exceeded', [], 'Too many requests from this address. Try again.', resetSeconds);
  }
}
