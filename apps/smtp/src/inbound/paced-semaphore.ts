import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from '#libs/kernel';

const SECOND_MS = 1_000;

/**
 * Limits how many tasks run at once and how many begin per second; the others wait in the order of their calls. After an
 * idle time, the tasks of one second may begin at once.
 */
export class PacedSemaphore {
  private readonly semaphore: Semaphore;
  /** When the next task may begin, as `performance.now()`. */
  private nextStart = -Infinity;
  private readonly spacing: number;

  constructor(atOnce: number, perSecond: number) {
    this.semaphore = new Semaphore(atOnce);
    this.spacing = SECOND_MS / perSecond;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    await this.waitForStart();
    return this.semaphore.run(task);
  }

  /** Called by a running task: lets others run while `wait` runs. */
  without<T>(wait: () => Promise<T>): Promise<T> {
    return this.semaphore.without(wait);
  }

  private async waitForStart(): Promise<void> {
    const now = performance.now();
    const start = Math.max(this.nextStart, now - SECOND_MS);
    this.nextStart = start + this.spacing;
    if (start > now) await sleep(start - now, undefined, { ref: false });
  }
}
