/** At most `permits` pieces of work at once; the others wait in the order of their arrival. */
export class Semaphore {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

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

  private async acquire(): Promise<void> {
    if (this.running < this.permits) this.running += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Passes the permit on directly, so that a newcomer cannot take it before the one that waits. */
  private release(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.running -= 1;
  }
}
