import type { Log } from '#libs/kernel';

/** Looks again and again: at once while there is more, else when woken or after a while; backs off while looking fails. */
export interface Polling {
  name: string;
  /** True when there may be more at once. */
  round: () => Promise<boolean>;
  pollMs: number;
  /** After a round that found nothing, calls to look again are heard only so much later; 0 unless told. */
  restMs?: number;
}

const BACK_OFF_MS = [250, 500, 1_000, 2_000, 5_000];

export class PollLoop {
  private stopped = false;
  private failures = 0;
  private wakeUp: (() => void) | undefined;
  private rung = false;
  private loop: Promise<void> | undefined;

  constructor(
    private readonly of: Polling,
    private readonly log: Log,
  ) {}

  start(): void {
    this.loop ??= this.run();
  }

  /** Look again now. */
  wake(): void {
    this.rung = true;
    this.wakeUp?.();
  }

  /** Begins no further round; resolves when the last one is over. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      this.rung = false;
      if (await this.round()) continue;
      if (!this.stopped) await this.rest();
      if (!this.rung && !this.stopped) await this.sleep();
    }
  }

  private async round(): Promise<boolean> {
    try {
      const more = await this.of.round();
      this.failures = 0;
      return more;
    } catch (error) {
      this.failures += 1;
      this.log.warn(`${this.of.name}: claim failed`, { reason: (error as Error).message, failures: this.failures });
      return false;
    }
  }

  private async rest(): Promise<void> {
    const { restMs } = this.of;
    if (restMs) await new Promise((resolve) => setTimeout(resolve, restMs));
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
