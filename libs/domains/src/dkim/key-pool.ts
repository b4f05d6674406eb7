import { Refusal } from '#libs/contracts';
import { Semaphore } from '#libs/kernel';
import { dkim } from '#libs/mime';

/** Generating an RSA pair takes up to half a second of a thread of the pool that files and DNS share. */
const MAX_CONCURRENT = 2;
/** Including the concurrent ones. */
const MAX_REQUESTS = 200;

/** Generates DKIM keys, few at a time, so that many new domains do not occupy all threads of the process. */
export class KeyPool {
  private readonly semaphore = new Semaphore(MAX_CONCURRENT);
  private requests = 0;

  /** @throws Refusal service_unavailable when too many are waiting already */
  async take(): ReturnType<typeof dkim.generateKeys> {
    if (this.requests >= MAX_REQUESTS)
      throw new Refusal('service_unavailable', [], 'Too many domains are being added. Try again.');
    this.requests += 1;
    try {
      return await this.semaphore.run(dkim.generateKeys);
    } finally {
      this.requests -= 1;
    }
  }
}
