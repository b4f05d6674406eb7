/** Milliseconds on a clock that never goes back. */
type Clock = () => number;

const monotonic: Clock = () => performance.now();

interface Entry<V> {
  value: V;
  expiresAt: number;
}

/** A map whose entries expire. Bounded: expired entries are dropped first, then the oldest. */
export class TtlMap<K, V> {
  /** In the order of insertion. */
  private readonly entries = new Map<K, Entry<V>>();

  constructor(
    private readonly maxEntries: number,
    private readonly clock: Clock = monotonic,
  ) {}

  get(key: K): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAt > this.clock()) return entry.value;
    this.entries.delete(key);
    return undefined;
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set(key: K, value: V, ttlMs: number): void {
    const now = this.clock();
    this.entries.delete(key);
    for (const [oldKey, old] of this.entries) {
      if (old.expiresAt > now && this.entries.size < this.maxEntries) break;
      this.entries.delete(oldKey);
    }
    this.entries.set(key, { value, expiresAt: now + ttlMs });
  }

  delete(key: K): void {
    this.entries.delete(key);
  }
}

export interface TtlCacheOptions<V> {
  /** Null means that the key does not exist; this is cached as well. */
  load: (key: string) => Promise<V | null>;
  ttlMs: number;
  /** Applies to present and absent keys separately: a flood of absent keys cannot displace the present ones. */
  maxEntries: number;
  clock?: Clock;
}

/**
 * Caches the results of `load`; concurrent requests for a key share one load. The age of a result counts from the start
 * of its load, so that a change is visible after `ttlMs` however slow the load was.
 */
export class TtlCache<V> {
  private readonly present: TtlMap<string, V>;
  private readonly absent: TtlMap<string, true>;
  private readonly loading = new Map<string, Entry<Promise<V | null>>>();
  private readonly clock: Clock;

  constructor(private readonly options: TtlCacheOptions<V>) {
    this.clock = options.clock ?? monotonic;
    this.present = new TtlMap(options.maxEntries, this.clock);
    this.absent = new TtlMap(options.maxEntries, this.clock);
  }

  /** Rejects when the load fails; a failure is not cached. */
  async get(key: string): Promise<V | null> {
    const value = this.present.get(key);
    if (value !== undefined) return value;
    if (this.absent.has(key)) return null;
    const load = this.loading.get(key);
    return load !== undefined && load.expiresAt > this.clock() ? load.value : this.load(key);
  }

  /** The next `get` loads again; the result of a load in progress is not cached. */
  delete(key: string): void {
    this.present.delete(key);
    this.absent.delete(key);
    this.loading.delete(key);
  }

  private async load(key: string): Promise<V | null> {
    this.delete(key);
    const load = { value: this.options.load(key), expiresAt: this.clock() + this.options.ttlMs };
    this.loading.set(key, load);
    try {
      const value = await load.value;
      if (this.loading.get(key) === load) this.store(key, value, load.expiresAt - this.clock());
      return value;
    } finally {
      if (this.loading.get(key) === load) this.loading.delete(key);
    }
  }

  private store(key: string, value: V | null, ttlMs: number): void {
    if (value === null) this.absent.set(key, true, ttlMs);
    else this.present.set(key, value, ttlMs);
  }
}
