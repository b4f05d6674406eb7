/** Tokens that come back evenly over time, without timers. */
export class TokenBucket {
  private tokens: number;
  private refilledAt: number;

  /** `limit` tokens come back per window; at most `burst`, but at least one, are saved up. */
  constructor(
    private readonly rate: { limit: number; windowMs: number; burst: number },
    now: number,
  ) {
    this.tokens = Math.max(1, rate.burst);
    this.refilledAt = now;
  }

  /** Tokens at `now`; there is one to take if this is at least 1. `share`: the part of the rate that applies currently. */
  available(now: number, share = 1): number {
    const full = Math.max(1, this.rate.burst * share);
    // A clock that was set back neither adds tokens nor removes any.
    const elapsed = Math.max(0, now - this.refilledAt);
    this.tokens = Math.min(full, this.tokens + (elapsed * this.rate.limit * share) / this.rate.windowMs);
    this.refilledAt = now;
    return this.tokens;
  }

  /** Call `available` before. */
  take(): void {
    this.tokens -= 1;
  }

  refund(): void {
    this.tokens += 1;
  }

  /** When the next token is available. */
  nextAt(now: number, share = 1): number {
    const missing = 1 - this.available(now, share);
    return missing <= 0 ? now : now + Math.ceil((missing * this.rate.windowMs) / (this.rate.limit * share));
  }
}

/** The state of a rate limit after a request. */
export interface RateLimitResult {
  allowed: boolean;
  /** Requests per window; 0 when there is no limit. */
  limit: number;
  /** Whole requests left right now. */
  remaining: number;
  /** Whole seconds until the full limit is available again. */
  resetSeconds: number;
}

export interface KeyedRateLimitOptions {
  /** Requests per window, and the largest burst; 0 for no limit. */
  limit: number;
  /** A second unless given. */
  windowMs?: number;
  /** The least recently used keys beyond this number are dropped. */
  maxKeys?: number;
  /** Milliseconds on a clock that never goes back. */
  clock?: () => number;
}

/** A token bucket per key. Holds only the keys of the last window: an older bucket is full, and a full one is like none. */
export class KeyedRateLimit {
  /** The least recently used first. */
  private readonly buckets = new Map<string, { bucket: TokenBucket; usedAt: number }>();
  private readonly options: Required<KeyedRateLimitOptions>;

  constructor(options: KeyedRateLimitOptions) {
    this.options = { windowMs: 1_000, maxKeys: Infinity, clock: () => performance.now(), ...options };
  }

  get size(): number {
    return this.buckets.size;
  }

  take(key: string): RateLimitResult {
    const { limit, windowMs, clock } = this.options;
    if (limit === 0) return { allowed: true, limit, remaining: 0, resetSeconds: 0 };
    const now = clock();
    const bucket = this.buckets.get(key)?.bucket ?? new TokenBucket({ limit, windowMs, burst: limit }, now);
    const allowed = bucket.available(now) >= 1;
    if (allowed) bucket.take();
    this.buckets.delete(key);
    this.buckets.set(key, { bucket, usedAt: now });
    this.dropOldest(now);
    const remaining = Math.floor(bucket.available(now));
    return { allowed, limit, remaining, resetSeconds: Math.ceil(windowMs / 1_000) };
  }

  /** Whether `take` would be allowed now. */
  isAvailable(key: string): boolean {
    const { limit, clock } = this.options;
    const bucket = this.buckets.get(key)?.bucket;
    return limit === 0 || bucket === undefined || bucket.available(clock()) >= 1;
  }

  private dropOldest(now: number): void {
    for (const [key, { usedAt }] of this.buckets) {
      if (now - usedAt < this.options.windowMs && this.buckets.size <= this.options.maxKeys) return;
      this.buckets.delete(key);
    }
  }
}
