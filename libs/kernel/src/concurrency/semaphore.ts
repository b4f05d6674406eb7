/** At most `permits` pieces of work at once; the others wait in the order of their arrival. */
export class Semaphore {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly permits: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.acquire();
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  /** Called by work that waits for something slow: gives its permit to others while `wait` runs. */
  async without<T>(wait: () => Promise<T>): Promise<T> {
    this.release();
    try {
      return await wait();
    } finally {
      await this.acquire();
    }
  }

  /** Takes a permit, to be returned with `release`. Rejects with the reason of `signal` when that aborts the wait. */
  async acquire(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.running < this.permits) {
      this.running += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const take = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.waiting.delete(take);
        reject(signal?.reason as Error);
      };
      this.waiting.add(take);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Passes the permit on directly, so that a newcomer cannot take it before the one that waits. */
  release(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.running -= 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}

/** A semaphore per key, as long as work with the key runs or waits. */
export class KeyedSemaphore {
  private readonly byKey = new Map<string, { semaphore: Semaphore; users: number }>();

  constructor(private readonly permits: number) {}

  /** Keys with work that runs or waits. */
  get size(): number {
    return this.byKey.size;
  }

  /** Takes a permit of this key, to be returned with `release`. Rejects when `signal` aborts the wait. */
  async acquire(key: string, signal?: AbortSignal): Promise<void> {
    const entry = this.byKey.get(key) ?? { semaphore: new Semaphore(this.permits), users: 0 };
    this.byKey.set(key, entry);
    entry.users += 1;
    try {
      await entry.semaphore.acquire(signal);
    } catch (error) {
      this.leave(key);
      throw error;
    }
  }

  release(key: string): void {
    this.byKey.get(key)?.semaphore.release();
    this.leave(key);
  }

  private leave(key: string): void {
    const entry = this.byKey.get(key);
    if (entry === undefined) return;
    entry.users -= 1;
    if (entry.users === 0) this.byKey.delete(key);
  }
}
