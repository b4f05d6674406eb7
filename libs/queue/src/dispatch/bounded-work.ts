/** Runs jobs in their order, at most `most` at once. Unlike a `Semaphore` it returns the jobs that have not begun. */
export class BoundedWork<J> {
  private readonly waiting: J[] = [];
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly most: number,
    /** Must not reject. */
    private readonly work: (job: J) => Promise<void>,
  ) {}

  add(job: J): void {
    if (this.running.size < this.most) this.begin(job);
    else this.waiting.push(job);
  }

  /** What has not begun never will; returned. Resolves when the rest is done. */
  async stop(): Promise<J[]> {
    const left = this.waiting.splice(0);
    await Promise.all(this.running);
    return left;
  }

  private begin(job: J): void {
    const task: Promise<void> = this.work(job).finally(() => {
      this.running.delete(task);
      const next = this.waiting.shift();
      if (next !== undefined) this.begin(next);
    });
    this.running.add(task);
  }
}
