import { Injectable } from '@nestjs/common';
import { LiveLog } from '#libs/bus';
import { Config, Health, Metrics } from '#libs/kernel';
import { Gauge } from 'prom-client';

/** How far the sink of this process is, and why it is not further, for metrics and readiness. */
@Injectable()
export class SinkProgress {
  /** Position of the newest stored event; undefined before the first batch of this process. */
  private stored: number | undefined;
  private failure: string | null = null;

  constructor(
    private readonly liveLog: LiveLog,
    { program }: Config,
    health: Health,
    metrics: Metrics,
  ) {
    // Only the program `analytics` is unready without the store: the others accept and deliver mail all the same.
    if (program === 'analytics') health.register('statistics', () => this.failure);
    const lag = () => this.lag();
    new Gauge({
      name: 'postloft_sink_lag_events',
      help: 'Events in the log that are newer than the newest stored one. Absent before the first event.',
      registers: [metrics.registry],
      async collect() {
        const events = await lag();
        if (events === undefined) this.remove();
        else this.set(events);
      },
    });
  }

  /** Returns the reason, one line. */
  failed(error: unknown): string {
    this.failure = (error as Error).message.split('\n', 1)[0] || 'the statistics store does not answer';
    return this.failure;
  }

  opened(): void {
    this.failure = null;
  }

  /** A batch is inserted whose first event is at `position`. */
  started(position: number): void {
    this.stored ??= position - 1;
  }

  /** A batch was inserted; null if it had no events. */
  inserted(last: number | null): void {
    this.failure = null;
    this.stored = Math.max(this.stored ?? 0, last ?? 0);
  }

  private async lag(): Promise<number | undefined> {
    if (this.stored === undefined) return undefined;
    const head = await this.liveLog.head().catch(() => undefined);
    return head === undefined ? undefined : Math.max(0, head - this.stored);
  }
}
