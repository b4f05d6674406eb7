import type { Log } from '#libs/kernel';
import { PollLoop } from './poll-loop.js';

/**
 * Claim what is due, work on it outside any transaction, settle: the motion of webhooks and of the domain verifier.
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

export class DueWorkLoop<J> {
  private readonly running = new Set<Promise<void>>();
  private readonly poll: PollLoop;

  constructor(
    private readonly of: DueWork<J>,
    private readonly log: Log,
  ) {
    this.poll = new PollLoop({ name: of.name, pollMs: of.pollMs, round: () => this.round() }, log);
  }

  get inFlight(): number {
    return this.running.size;
  }

  start(): void {
    this.poll.start();
  }

  /** Look again now. */
  wake(): void {
    this.poll.wake();
  }

  /** Claims nothing more and waits for what runs. */
  async stop(): Promise<void> {
    await this.poll.stop();
    await Promise.all(this.running);
  }

  /** True when there may be more to claim at once. */
  private async round(): Promise<boolean> {
    const room = this.of.concurrency - this.running.size;
    if (room <= 0) return false;
    const jobs = await this.of.claim(room);
    for (const job of jobs) this.begin(job);
    return jobs.length === room;
  }

  private begin(job: J): void {
    const task: Promise<void> = this.of
      .work(job)
      .catch((error: unknown) => this.log.error(`${this.of.name}: a job failed unexpectedly`, error))
      .finally(() => {
        this.running.delete(task);
        if (this.running.size === this.of.concurrency - 1) this.wake();
      });
    this.running.add(task);
  }
}
