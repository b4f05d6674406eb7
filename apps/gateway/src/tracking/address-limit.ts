import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { clientNetwork, KeyedRateLimit } from '#libs/kernel';

/** High enough for a mailbox provider, which sends the requests of all its users from few addresses. */
const PER_SECOND = 50;

/** Limits the requests to public pages per client network, across all accounts. */
@Injectable()
export class AddressLimit {
  private readonly buckets = new KeyedRateLimit({ limit: PER_SECOND });

  /** @throws Refusal `rate_limit_exceeded` */
  take(address: string): void {
    const { allowed, resetSeconds } = this.buckets.take(clientNetwork(address));
    if (!allowed)
      throw new Refusal('rate_limit_exceeded', [], 'Too many requests from this address. Try again.', resetSeconds);
  }
}
