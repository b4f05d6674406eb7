import type { Lease } from './rate-leases.js';
import { TokenBuckets, type RateVerdict } from './token-buckets.js';

export interface LeasedBucketsOptions {
  /** Requests per second, and burst. */
  limit: number;
  /** Asks the bucket that all processes share. */
  lease: (key: string) => Promise<Lease>;
  /** Milliseconds on a clock that never goes back. */
  clock?: () => number;
}

interface Purse {
  /** Leased and not yet spent. */
  tokens: number;
  /** What the shared bucket had left at the last lease. */
  shared: number;
  goodUntil: number;
  /** Until then the shared bucket is known to be empty. */
  emptyUntil: number;
  asking: Promise<void> | null;
}

/** A slice that is not spent by then is lost; so the processes together never save up more than this refills. */
const LEASE_MS = 250;
/** An empty bucket is asked again after this long, when it has a few tokens: 40 questions a second under any pressure. */
const EMPTY_MS = 25;
/** A shared bucket that takes longer is as good as away: counting requests must not be what holds them up. */
const PATIENCE_MS = 1_000;
/** While the shared bucket is away each process counts alone, and looks for it this often. */
const AWAY_MS = 1_000;

/**
 * Token buckets by key that several processes share: each spends slices which it leases from the one bucket. When that
 * cannot be asked, the limit holds for each process by itself.
 */
export class LeasedBuckets {
  /** The least recently used first. */
  private readonly purses = new Map<string, Purse>();
  private readonly alone: TokenBuckets;
  private readonly clock: () => number;
  private awayUntil = -Infinity;

  constructor(private readonly options: LeasedBucketsOptions) {
    this.clock = options.clock ?? (() => performance.now());
    this.alone = new TokenBuckets(options.limit, this.clock);
  }

  get size(): number {
    return this.purses.size;
  }

  async take(key: string): Promise<RateVerdict> {
    const patientUntil = this.clock() + PATIENCE_MS;
    for (;;) {
      const now = this.clock();
      if (now < this.awayUntil || now >= patientUntil) return this.alone.take(key);
      const purse = this.purseOf(key);
      if (purse.tokens > 0 && now < purse.goodUntil) return this.spend(purse);
      if (purse.asking === null && now < purse.emptyUntil) return this.refuse();
      // Whoever waits shares the question, and asks anew when the slice was too small for all.
      await (purse.asking ??= this.ask(key, purse));
    }
  }

  private purseOf(key: string): Purse {
    const purse = this.purses.get(key) ?? { tokens: 0, shared: 0, goodUntil: 0, emptyUntil: 0, asking: null };
    this.purses.delete(key);
    this.dropIdle();
    this.purses.set(key, purse);
    return purse;
  }

  private dropIdle(): void {
    const now = this.clock();
    for (const [key, purse] of this.purses) {
      if (purse.asking !== null || now < Math.max(purse.goodUntil, purse.emptyUntil)) return;
      this.purses.delete(key);
    }
  }

  private spend(purse: Purse): RateVerdict {
    purse.tokens -= 1;
    const { limit } = this.options;
    return { allowed: true, limit, remaining: Math.floor(purse.shared) + purse.tokens, resetSeconds: 1 };
  }

  private refuse(): RateVerdict {
    return { allowed: false, limit: this.options.limit, remaining: 0, resetSeconds: 1 };
  }

  /** Never rejects. */
  private async ask(key: string, purse: Purse): Promise<void> {
    const lease = await withPatience(this.options.lease(key));
    purse.asking = null;
    if (lease === null) {
      this.awayUntil = this.clock() + AWAY_MS;
      return;
    }
    purse.tokens = lease.granted;
    purse.shared = lease.tokens;
    purse.goodUntil = this.clock() + LEASE_MS;
    purse.emptyUntil = lease.tokens < 1 ? this.clock() + EMPTY_MS : 0;
  }
}

/** Null when it fails, or takes too long. */
async function withPatience(lease: Promise<Lease>): Promise<Lease | null> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PATIENCE_MS);
  });
  try {
    return await Promise.race([lease, tooLong]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
