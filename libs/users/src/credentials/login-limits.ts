import { Refusal } from '#libs/contracts';
import { clientNetwork, FailureLimit, KeyedRateLimit } from '#libs/kernel';

const FAILURES_PER_MINUTE = 10;
const TEN_MINUTES_MS = 600_000;
/** Failures. Refills at 20 a minute, more than one network may fail: a single network cannot keep a user from logging in. */
const PER_EMAIL = 200;
const HOUR_MS = 3_600_000;
const REQUESTS_PER_NETWORK = 20;
const LETTERS_PER_EMAIL = 3;
const MAX_KEYS = 10_000;

/** Who sends a secret. */
export interface Guesser {
  /** The address of the client. */
  address: string;
  /** The browser, if the user of the secret has logged in with it before. */
  known: string | null;
  /** The email address of the user, if it is part of the guess. */
  email?: string;
}

/**
 * Limits guesses of passwords and links, and requests that send mail. Counted by each process. Failures count, by network and
 * email address; those of a known browser count by themselves, so that nobody else can keep its user from logging in ("device
 * cookies" of OWASP).
 */
export class LoginLimits {
  private readonly networks = new FailureLimit(FAILURES_PER_MINUTE);
  private readonly browsers = new FailureLimit(FAILURES_PER_MINUTE);
  private readonly emails = new KeyedRateLimit({ limit: PER_EMAIL, windowMs: TEN_MINUTES_MS, maxKeys: MAX_KEYS });
  private readonly requests = new KeyedRateLimit({
    limit: REQUESTS_PER_NETWORK,
    windowMs: HOUR_MS,
    maxKeys: MAX_KEYS,
  });
  private readonly letters = new KeyedRateLimit({ limit: LETTERS_PER_EMAIL, windowMs: HOUR_MS, maxKeys: MAX_KEYS });

  /**
   * Runs a check of a secret. A result of null is a failure.
   * @throws Refusal rate_limit_exceeded after too many failures, also if the check has passed: concurrent guesses all begin
   * before the first of them has failed
   */
  async guess<T>(by: Guesser, check: () => Promise<T | null>): Promise<T | null> {
    this.assertAllowed(by);
    const result = await check();
    this.assertAllowed(by);
    if (result === null) this.recordFailure(by);
    return result;
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

  private assertAllowed({ address, known, email }: Guesser): void {
    const seconds = known === null ? this.networks.blockedSeconds(address) : this.browsers.blockedSeconds(known);
    if (seconds > 0) throw tooMany('Too many failed sign-ins from this address. Try again.', seconds);
    if (known === null && email !== undefined && !this.emails.isAvailable(email))
      throw tooMany('Too many failed sign-ins with this email address. Try again.', 60);
  }

  private recordFailure({ address, known, email }: Guesser): void {
    if (known !== null) return this.browsers.recordFailure(known);
    this.networks.recordFailure(address);
    if (email !== undefined) this.emails.take(email);
  }
}

const tooMany = (sentence: string, seconds: number): Refusal =>
  new Refusal('rate_limit_exceeded', [], sentence, seconds);
