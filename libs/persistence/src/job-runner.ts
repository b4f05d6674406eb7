import { Poller, type Log } from '#libs/kernel';

export interface JobRunnerOptions<J> {
  name: string;
  /** Claims up to `limit` jobs that are due now. */
  claim: (limit: number) => Promise<J[]>;
  /** Runs one job and stores its outcome. Must not throw for anything that the job itself can cause. */
  work: (job: J) => Promise<void>;
  concurrency: number;
  pollMs: number;
}

/**
 * Claims due jobs and runs them outside any transaction, with bounded concurrency. Polls, can be woken, backs off while
 * the database is unavailable, and waits for running jobs on stop.
 */
export class JobRunner<J> {
  private readonly running = new Map<J, Promise<void>>();
  private readonly poll: Poller;

  constructor(
    private readonly options: JobRunnerOptions<J>,
    private readonly log: Log,
  ) {
    this.poll = new Poller({ name: options.name, pollMs: options.pollMs, round: () => this.round() }, log);
  }

  /** The running jobs. */
  get jobs(): Iterable<J> {
    return this.running.keys();
  }

  start(): void {
    this.poll.start();
  }

  /** Polls now. */
  wake(): void {
    this.poll.wake();
  }

  /** Claims no more jobs and waits for the running ones. */
  async stop(): Promise<void> {
    await this.poll.stop();
    await Promise.all(this.running.values());
  }

  /** True when more jobs may be due. */
  private async round(): Promise<boolean> {
    const free = this.options.concurrency - this.running.size;
    if (free <= 0) return false;
    const jobs = await this.options.claim(free);
    for (const job of jobs) this.begin(job);
    return jobs.length === free;
  }

  private begin(job: J): void {
    const task = this.options
      .work(job)
      .catch((error: unknown) => this.log.error(`${this.options.name}: a job failed unexpectedly`, error))
      .finally(() => {
        this.running.delete(job);
        if (this.running.size === this.options.concurrency - 1) this.wake();
      });
    this.running.set(job, task);
  }
}
