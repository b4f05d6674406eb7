import type { Log } from '../logging/log.js';
import { backoffMs, sleep } from './backoff.js';
import { WakeSignal } from './wake-signal.js';

export interface PollerOptions {
  /** For the log. */
  name: string;
  /** One query for work. True when there may be more right away. */
  round: () => Promise<boolean>;
  /** Pause after a round that found nothing; `wake` ends it. */
  pollMs: number;
  /** The part of that pause which `wake` does not shorten; none unless given. */
  minPauseMs?: number;
}

/** Queries for work again and again, with backoff while the query fails. */
export class Poller {
  private stopped = false;
  private failures = 0;
  private readonly signal = new WakeSignal();
  private loop: Promise<void> | undefined;

  constructor(
    private readonly options: PollerOptions,
    private readonly log: Log,
  ) {}

  start(): void {
    this.loop ??= this.run();
  }

  /** Ends the current pause; during a round, omits the next one. */
  wake(): void {
    this.signal.notify();
  }

  /** Begins no further round; resolves when the current one is over. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      this.signal.clear();
      if (await this.round()) continue;
      if (!this.stopped) await this.pause();
    }
  }

  private async round(): Promise<boolean> {
    try {
      const more = await this.options.round();
      this.failures = 0;
      return more;
    } catch (error) {
      this.failures += 1;
      const { name } = this.options;
      this.log.warn('polling failed', { poller: name, reason: (error as Error).message, failures: this.failures });
      return false;
    }
  }

  private async pause(): Promise<void> {
    const { pollMs, minPauseMs } = this.options;
    if (minPauseMs) await sleep(minPauseMs);
    if (!this.stopped) await this.signal.wait(this.failures > 0 ? backoffMs(this.failures) : pollMs);
  }
}
