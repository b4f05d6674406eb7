import type { Log } from '#libs/kernel';
import { databaseErrors } from '#libs/persistence';

/** Lines that are kept while the database is unavailable; about 5 MB. */
const CAPACITY = 10_000;
const BATCH_SIZE = 500;
const BATCH_DELAY_MS = 500;
const RETRY_MS = 5_000;
const WARN_INTERVAL_MS = 60_000;

/**
 * Lines to be written. Adding one never waits and never fails: lines beyond the capacity are lost, and so is a batch that
 * the database rejects. Lost lines are counted and logged once a minute.
 */
export class RequestLogQueue {
  private readonly waiting: string[] = [];
  private timer: NodeJS.Timeout | undefined;
  private drained: Promise<void> | undefined;
  private lost = 0;
  private warnedAt = -Infinity;

  constructor(
    /** Writes lines, each a JSON object. Must be idempotent. */
    private readonly write: (lines: string[]) => Promise<unknown>,
    private readonly log: Log,
  ) {}

  add(line: string): void {
    if (this.waiting.length >= CAPACITY) {
      this.lose(1, 'the queue is full');
      return;
    }
    this.waiting.push(line);
    if (this.timer === undefined && this.drained === undefined) this.schedule(BATCH_DELAY_MS);
  }

  /** Writes the remaining lines at the stop; gives up immediately if the database is unavailable. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    await this.drained;
    await this.drain(1);
    clearTimeout(this.timer);
    if (this.waiting.length > 0) this.lose(this.waiting.length, 'the process stopped');
  }

  private schedule(ms: number): void {
    this.timer = setTimeout(() => void this.drain(BATCH_SIZE), ms);
    this.timer.unref();
  }

  private drain(minLines: number): Promise<void> {
    this.timer = undefined;
    this.drained = this.run(minLines);
    return this.drained;
  }

  private async run(minLines: number): Promise<void> {
    const isUnreachable = await this.writeBatches(minLines);
    this.drained = undefined;
    if (this.waiting.length > 0) this.schedule(isUnreachable ? RETRY_MS : BATCH_DELAY_MS);
  }

  /** Continues while at least `minLines` wait: fewer wait for a fuller batch. True if the database is unavailable. */
  private async writeBatches(minLines: number): Promise<boolean> {
    do {
      const batch = this.waiting.slice(0, BATCH_SIZE);
      if (batch.length === 0) return false;
      try {
        await this.write(batch);
      } catch (error) {
        if (databaseErrors.isUnavailable(error)) return true;
        this.lose(batch.length, (error as Error).message);
      }
      this.waiting.splice(0, batch.length);
    } while (this.waiting.length >= minLines);
    return false;
  }

  private lose(lines: number, reason: string): void {
    this.lost += lines;
    const now = performance.now();
    if (now - this.warnedAt < WARN_INTERVAL_MS) return;
    this.log.warn('requests were not written to the request log', { lines: this.lost, reason });
    this.warnedAt = now;
    this.lost = 0;
  }
}
