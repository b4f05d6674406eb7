import { hash } from 'node:crypto';
import { Injectable, Module } from '@nestjs/common';
import { AccountsModule, ApiKeys, type Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { Config, FailureLimit, TtlMap } from '#libs/kernel';
import { ConnectionGuard } from './connection-guard.js';

const KNOWN_MS = 3_600_000;
const KNOWN_KEYS = 10_000;
const DIGEST_LENGTH = 12;

/**
 * Authenticates the API keys of requests and WebSockets, and limits wrong ones per client network
 * (HTTP_AUTH_FAILURES_PER_MINUTE). The same wrong key counts once a minute, so that one client with an outdated key does
 * not use up the limit of its network.
 *
 * Beyond the limit, keys that were valid in this process within the last hour work as before, and any other key is refused
 * without being checked: a response to a key that may be a guess would make the limit useless.
 */
@Injectable()
export class KeyAttempts {
  private readonly failures: FailureLimit;
  private readonly known = new TtlMap<string, true>(KNOWN_KEYS);

  constructor(
    private readonly keys: ApiKeys,
    config: Config,
  ) {
    this.failures = new FailureLimit(config.settings.HTTP_AUTH_FAILURES_PER_MINUTE);
  }

  /**
   * The holder of a key that a client at this address has sent.
   * @throws Refusal `invalid_api_key`; `rate_limit_exceeded` after too many wrong keys from the network of the address
   */
  async authenticate(token: string, address: string): Promise<Principal> {
    const digest = hash('sha256', token, 'base64').slice(0, DIGEST_LENGTH);
    this.assertAllowed(digest, address);
    const principal = await this.holderOf(token);
    // Again, before the result shows: concurrent guesses all begin before the first of them has failed.
    if (principal === null) this.known.delete(digest);
    this.assertAllowed(digest, address);
    if (principal === null) {
      this.failures.recordFailure(address, digest);
      throw new Refusal('invalid_api_key');
    }
    this.known.set(digest, true, KNOWN_MS);
    return principal;
  }

  private async holderOf(token: string): Promise<Principal | null> {
    try {
      return await this.keys.authenticate(token);
    } catch (error) {
      if (error instanceof Refusal && error.code === 'invalid_api_key') return null;
      throw error;
    }
  }

  private assertAllowed(digest: string, address: string): void {
    const seconds = this.failures.blockedSeconds(address);
    if (seconds === 0 || this.known.has(digest)) return;
    throw new Refusal('rate_limit_exceeded', [], 'Too many wrong API keys from this address. Try again.', seconds);
  }
}

/** The common part of HTTP requests and WebSocket upgrades. */
@Module({
  imports: [AccountsModule],
  providers: [ConnectionGuard, KeyAttempts],
  exports: [ConnectionGuard, KeyAttempts],
})
export class HttpAccessModule {}
