/** What a caller is told about his budget of requests (D-52). */
export interface RateVerdict {
  allowed: boolean;
  /** Requests per second; 0 when there is no limit. */
  limit: number;
  /** Whole requests left right now. */
  remaining: number;
  /** Whole seconds until the budget is full again; after a refusal, until another request is worth trying. */
  resetSeconds: number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** A bucket that nobody touched for this long is full, and a full bucket is the same as none. */
const FULL_AFTER_MS = 1_000;

/** Token buckets by key: `limit` per second, burst `limit`. Holds only the keys of the last second. */
export class TokenBuckets {
  /** The least recently used first. */
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly limit: number,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  get size(): number {
    return this.buckets.size;
  }

  take(key: string): RateVerdict {
    const { limit } = this;
    if (limit === 0) return { allowed: true, limit, remaining: 0, resetSeconds: 0 };
    const now = this.clock();
    const bucket = this.filled(key, now);
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    this.buckets.delete(key);
    this.buckets.set(key, bucket);
    this.dropFull(now);
    // Burst and rate are equal, so every debt is paid within a second.
    return { allowed, limit, remaining: Math.floor(bucket.tokens), resetSeconds: 1 };
  }

  private filled(key: string, now: number): Bucket {
    const bucket = this.buckets.get(key) ?? { tokens: this.limit, filledAt: now };
    bucket.tokens = Math.min(this.limit, bucket.tokens + ((now - bucket.filledAt) / 1_000) * this.limit);
    bucket.filledAt = now;
    return bucket;
  }

  private dropFull(now: number): void {
    for (const [key, bucket] of this.buckets) {
      if (now - bucket.filledAt < FULL_AFTER_MS) return;
      this.buckets.delete(key);
    }
  }
}
