/** "Look again now" for one waiting loop. A ring while nobody waits is kept for the next wait. */
export class Bell {
  private rung = false;
  private wake: (() => void) | undefined;

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  /** Waits for a ring, at most `ms` milliseconds; true when there was one. */
  async wait(ms: number): Promise<boolean> {
    if (!this.rung) await this.sleep(ms);
    const rung = this.rung;
    this.rung = false;
    return rung;
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
