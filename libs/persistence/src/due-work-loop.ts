import type { Log } from '#libs/kernel';

/**
 * Claim what is due, work on it outside any transaction, settle: the one motion of delivery and webhooks.
 * Bounded concurrency, a poll with wake-up, back-off while the database is away, and a drain on stop.
 */
export interface DueWork<J> {
  name: string;
  /** Claims up to `limit` jobs that are due now. */
  claim: (limit: number) => Promise<J[]>;
  /** Does one job and writes down how it went. Must not throw for anything that the job itself can cause. */
  work: (job: J) => Promise<void>;
  concurrency: number;
  pollMs: number;
}

const BACK_OFF_MS = [250, 500, 1_000, 2_000, 5_000];

export class DueWorkLoop<J> {
  private readonly running = new Set<Promise<void>>();
  private stopped = false;
  private failures = 0;
  private wakeUp: (() => void) | undefined;
  private rung = false;
  private loop: Promise<void> | undefined;

  constructor(
    private readonly of: DueWork<J>,
    private readonly log: Log,
  ) {}

  get inFlight(): number {
    return this.running.size;
  }

  start(): void {
    this.loop ??= this.run();
  }

  /** Look again now. */
  wake(): void {
    this.rung = true;
    this.wakeUp?.();
  }

  /** Begins a job that was claimed elsewhere (the hand-off in memory); the caller keeps to `free`. */
  begin(job: J): void {
    const task: Promise<void> = this.of
      .work(job)
      .catch((error: unknown) => this.log.error(`${this.of.name}: a job failed unexpectedly`, error))
      .finally(() => {
        this.running.delete(task);
        if (this.running.size === this.of.concurrency - 1) this.wake();
      });
    this.running.add(task);
  }

  get free(): number {
    return this.stopped ? 0 : Math.max(0, this.of.concurrency - this.running.size);
  }

  /** Claims nothing more and waits for what runs. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.loop;
    await Promise.all(this.running);
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      this.rung = false;
      const full = await this.round();
      if (!full && !this.rung && !this.stopped) await this.sleep();
    }
  }

  /** True when there may be more to claim at once. */
  private async round(): Promise<boolean> {
    const room = this.free;
    if (room === 0) return false;
    try {
      const jobs = await this.of.claim(room);
      this.failures = 0;
      for (const job of jobs) this.begin(job);
      return jobs.length === room;
    } catch (error) {
      this.failures += 1;
      this.log.warn(`${this.of.name}: claim failed`, { reason: (error as Error).message, failures: this.failures });
      return false;
    }
  }

  private sleep(): Promise<void> {
    const ms = this.failures > 0 ? BACK_OFF_MS[Math.min(this.failures, BACK_OFF_MS.length) - 1] : this.of.pollMs;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
