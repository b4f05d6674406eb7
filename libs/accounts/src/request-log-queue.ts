import type { Log } from '#libs/kernel';
import { isUnavailable } from '#libs/persistence';

/** Lines that wait while the store is away; about 5 MB. */
const CAPACITY = 10_000;
const BATCH = 500;
const GATHER_MS = 500;
const RETRY_MS = 5_000;
const WARN_EVERY_MS = 60_000;

/**
 * Lines on their way to the store. Whoever adds one waits for nothing and is told nothing: what finds no room is lost,
 * and so is a batch that the store refuses; both are counted, and said once a minute.
 */
export class RequestLogQueue {
  private readonly waiting: string[] = [];
  private timer: NodeJS.Timeout | undefined;
  private drained: Promise<void> | undefined;
  private lost = 0;
  private warnedAt = -Infinity;

  constructor(
    /** Writes lines, each a JSON object; safe to repeat. */
    private readonly write: (lines: string[]) => Promise<unknown>,
    private readonly log: Log,
  ) {}

  add(line: string): void {
    if (this.waiting.length >= CAPACITY) {
      this.lose(1, 'no room');
      return;
    }
    this.waiting.push(line);
    if (this.timer === undefined && this.drained === undefined) this.wait(GATHER_MS);
  }

  /** The end: writes what waits, gives up at once when the store is away. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    await this.drained;
    await this.drain(1);
    clearTimeout(this.timer);
    if (this.waiting.length > 0) this.lose(this.waiting.length, 'stopped');
  }

  private wait(ms: number): void {
    this.timer = setTimeout(() => void this.drain(BATCH), ms);
    this.timer.unref();
  }

  private drain(atLeast: number): Promise<void> {
    this.timer = undefined;
    this.drained = this.turn(atLeast);
    return this.drained;
  }

  private async turn(atLeast: number): Promise<void> {
    const isAway = await this.writeBatches(atLeast);
    this.drained = undefined;
    if (this.waiting.length > 0) this.wait(isAway ? RETRY_MS : GATHER_MS);
  }

  /** Goes on for as long as `atLeast` lines wait: small rests gather for another while. True: the store is away. */
  private async writeBatches(atLeast: number): Promise<boolean> {
    do {
      const batch = this.waiting.slice(0, BATCH);
      if (batch.length === 0) return false;
      try {
        await this.write(batch);
      } catch (error) {
        if (isUnavailable(error)) return true;
        this.lose(batch.length, (error as Error).message);
      }
      this.waiting.splice(0, batch.length);
    } while (this.waiting.length >= atLeast);
    return false;
  }

  private lose(lines: number, reason: string): void {
    this.lost += lines;
    const now = performance.now();
    if (now - this.warnedAt < WARN_EVERY_MS) return;
    this.log.warn('requests not written to the request log', { lines: this.lost, reason });
    this.warnedAt = now;
    this.lost = 0;
  }
}
