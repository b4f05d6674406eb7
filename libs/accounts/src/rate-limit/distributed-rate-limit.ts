import { KeyedRateLimit, withTimeout, type RateLimitResult } from '#libs/kernel';
import type { Lease } from './token-leases.js';

export interface DistributedRateLimitOptions {
  /** Requests per second, and the largest burst. */
  limit: number;
  /** Leases tokens from the bucket that all processes share. */
  lease: (key: string) => Promise<Lease>;
  /** Milliseconds on a clock that never goes back. */
  clock?: () => number;
}

/** The part of a shared bucket that this process holds. */
interface LocalTokens {
  /** Leased and not used yet. */
  tokens: number;
  /** Tokens that were left in the shared bucket after the last lease. */
  shared: number;
  validUntil: number;
  /** The shared bucket is assumed to be empty until then. */
  emptyUntil: number;
  pendingLease: Promise<void> | null;
}

/** Leased tokens are lost after this time, so that the processes together never save up more than is refilled in it. */
const LEASE_MS = 250;
/** Pause before the next lease from an empty bucket, which then has a few tokens: at most 40 queries a second. */
const EMPTY_MS = 25;
/** A lease that takes longer counts as failed, because the rate limit must not delay requests. */
const LEASE_TIMEOUT_MS = 1_000;
/** How long each process limits by itself after a failed lease. */
const OUTAGE_MS = 1_000;

/**
 * A rate limit by key that several processes share: each uses tokens that it leases from one shared bucket. While the
 * shared bucket is unavailable, the limit applies to each process separately.
 */
export class DistributedRateLimit {
  /** The least recently used first. */
  private readonly local = new Map<string, LocalTokens>();
  private readonly fallback: KeyedRateLimit;
  private readonly clock: () => number;
  private outageUntil = -Infinity;

  constructor(private readonly options: DistributedRateLimitOptions) {
    this.clock = options.clock ?? (() => performance.now());
    this.fallback = new KeyedRateLimit({ limit: options.limit, clock: this.clock });
  }

  get size(): number {
    return this.local.size;
  }

  async take(key: string): Promise<RateLimitResult> {
    const deadline = this.clock() + LEASE_TIMEOUT_MS;
    for (;;) {
      const now = this.clock();
      if (now < this.outageUntil || now >= deadline) return this.fallback.take(key);
      const local = this.tokensOf(key);
      if (local.tokens > 0 && now < local.validUntil) return this.use(local);
      if (local.pendingLease === null && now < local.emptyUntil) return this.refuse();
      // Concurrent requests share a lease, and lease again if it was too small for all.
      await (local.pendingLease ??= this.lease(key, local));
    }
  }

  private tokensOf(key: string): LocalTokens {
    const local = this.local.get(key) ?? {
      tokens: 0,
      shared: 0,
      validUntil: 0,
      emptyUntil: 0,
      pendingLease: null,
    };
    this.local.delete(key);
    this.dropExpired();
    this.local.set(key, local);
    return local;
  }

  private dropExpired(): void {
    const now = this.clock();
    for (const [key, local] of this.local) {
      if (local.pendingLease !== null || now < Math.max(local.validUntil, local.emptyUntil)) return;
      this.local.delete(key);
    }
  }

  private use(local: LocalTokens): RateLimitResult {
    local.tokens -= 1;
    const { limit } = this.options;
    return { allowed: true, limit, remaining: Math.floor(local.shared) + local.tokens, resetSeconds: 1 };
  }

  private refuse(): RateLimitResult {
    return { allowed: false, limit: this.options.limit, remaining: 0, resetSeconds: 1 };
  }

  /** Never rejects. */
  private async lease(key: string, local: LocalTokens): Promise<void> {
    const leasing = this.options.lease(key).catch(() => null);
    const lease = await withTimeout(leasing, LEASE_TIMEOUT_MS, () => null);
    local.pendingLease = null;
    if (lease === null) {
      this.outageUntil = this.clock() + OUTAGE_MS;
      return;
    }
    local.tokens = lease.granted;
    local.shared = lease.tokens;
    local.validUntil = this.clock() + LEASE_MS;
    local.emptyUntil = lease.tokens < 1 ? this.clock() + EMPTY_MS : 0;
  }
}
