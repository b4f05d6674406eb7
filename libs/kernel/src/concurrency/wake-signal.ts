/** Wakes one waiting loop. A notification while nothing waits is kept for the next wait. */
export class WakeSignal {
  private isNotified = false;
  private wake: (() => void) | undefined;

  notify(): void {
    this.isNotified = true;
    this.wake?.();
  }

  /** Drops a notification that was kept. */
  clear(): void {
    this.isNotified = false;
  }

  /** Waits for a notification, at most `ms` milliseconds; true when there was one. */
  async wait(ms: number): Promise<boolean> {
    if (!this.isNotified) await this.sleep(ms);
    const notified = this.isNotified;
    this.isNotified = false;
    return notified;
  }

  private sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.wake = done;
    });
  }
}
