/** What may go at once after a pause: a part of the limit, so that a window never sees much more than its limit. */
const BURST = 0.1;

/**
 * A rate without timers: tokens come back with time, evenly. `share` of the pace is asked for anew each time, because a
 * slow-down or another process may take a part of it meanwhile.
 */
export class TokenBucket {
  #tokens: number;
  #at: number;

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
    now: number,
  ) {
    this.#tokens = Math.max(1, limit * BURST);
    this.#at = now;
  }

  /** Tokens there are now; less than one: none. */
  available(now: number, share: number): number {
    const full = Math.max(1, this.limit * BURST * share);
    // A clock that was set back brings no tokens and takes none.
    const passed = Math.max(0, now - this.#at);
    this.#tokens = Math.min(full, this.#tokens + (passed * this.limit * share) / this.windowMs);
    this.#at = now;
    return this.#tokens;
  }

  /** After `available` said that there is one. */
  take(): void {
    this.#tokens -= 1;
  }

  giveBack(): void {
    this.#tokens += 1;
  }

  /** When the next token is there. */
  nextAt(now: number, share: number): number {
    const missing = 1 - this.available(now, share);
    return missing <= 0 ? now : now + Math.ceil((missing * this.windowMs) / (this.limit * share));
  }
}
