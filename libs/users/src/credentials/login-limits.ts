import { Refusal } from '#libs/contracts';
import { clientNetwork, FailureLimit, KeyedRateLimit } from '#libs/kernel';

const FAILURES_PER_MINUTE = 10;
const TEN_MINUTES_MS = 600_000;
/** Refills at 20 a minute, more than one network may fail: a single network cannot keep a user from logging in. */
const PER_EMAIL = 200;
const HOUR_MS = 3_600_000;
const REQUESTS_PER_NETWORK = 20;
const LETTERS_PER_EMAIL = 3;
const MAX_KEYS = 10_000;

/** Limits guesses of passwords and links, and requests that send mail. Counted by each process. */
export class LoginLimits {
  private readonly failures = new FailureLimit(FAILURES_PER_MINUTE);
  private readonly perEmail = new KeyedRateLimit({ limit: PER_EMAIL, windowMs: TEN_MINUTES_MS, maxKeys: MAX_KEYS });
  private readonly requests = new KeyedRateLimit({
    limit: REQUESTS_PER_NETWORK,
    windowMs: HOUR_MS,
    maxKeys: MAX_KEYS,
  });
  private readonly letters = new KeyedRateLimit({ limit: LETTERS_PER_EMAIL, windowMs: HOUR_MS, maxKeys: MAX_KEYS });

  /**
   * Runs a check of a secret that a client at this address has sent; a result of null is a failure.
   * @throws Refusal rate_limit_exceeded after too many failures of the client's network, also if the check has passed:
   * concurrent guesses all begin before the first of them has failed
   */
  async guess<T>(address: string, check: () => Promise<T | null>): Promise<T | null> {
    this.assertAllowed(address);
    const result = await check();
    this.assertAllowed(address);
    if (result === null) this.failures.recordFailure(address);
    return result;
  }

  /** Counts a login with this e-mail address. @throws Refusal rate_limit_exceeded */
  takeEmail(email: string): void {
    const { allowed } = this.perEmail.take(email);
    if (!allowed) throw tooMany('Too many logins with this e-mail address. Try again.', 60);
  }

  /** Counts a request that sends mail. @throws Refusal rate_limit_exceeded */
  takeRequest(address: string): void {
    const { allowed } = this.requests.take(clientNetwork(address));
    if (!allowed) throw tooMany('Too many requests from this address. Try again later.', HOUR_MS / 1_000);
  }

  /** False if the address has got enough mail: the answer must not tell. */
  mayWriteTo(email: string): boolean {
    return this.letters.take(email).allowed;
  }

  private assertAllowed(address: string): void {
    const seconds = this.failures.blockedSeconds(address);
    if (seconds > 0) throw tooMany('Too many failed logins from this address. Try again.', seconds);
  }
}

const tooMany = (sentence: string, seconds: number): Refusal =>
  new Refusal('rate_limit_exceeded', [], sentence, seconds);
