import { Injectable } from '@nestjs/common';
import { Config, Health, Metrics } from '#libs/kernel';
import { Counter, Gauge } from 'prom-client';

/** Events that statistics lack, and that they have got back, for metrics and readiness. */
@Injectable()
export class GapMetrics {
  /** Events of the range in progress that the store lacks. */
  private missing = 0;
  private readonly filled: Counter;
  readonly lost: Gauge;
  readonly complete: Gauge;

  constructor({ program }: Config, health: Health, metrics: Metrics) {
    const registers = [metrics.registry];
    if (program === 'analytics')
      health.register('statistics gaps', () =>
        this.missing > 0 ? `${this.missing} events are missing and are added from the event log` : null,
      );
    const missing = () => this.missing;
    new Gauge({
      name: 'postloft_stats_missing_events',
      help: 'Events known to be missing in statistics that are being added from the event log.',
      registers,
      collect() {
        this.set(missing());
      },
    });
    this.filled = new Counter({
      name: 'postloft_stats_filled_events_total',
      help: 'Events that were missing in statistics and were added from the event log.',
      registers,
    });
    this.lost = new Gauge({
      name: 'postloft_stats_lost_events',
      help: 'Events since the start that statistics may lack, because neither they nor the event log have them.',
      registers,
    });
    this.complete = new Gauge({
      name: 'postloft_stats_complete_position',
      help: 'Position in the event log up to which statistics are known to be complete.',
      registers,
    });
  }

  /** Events of the next range were found to be missing. */
  found(missing: number): void {
    this.missing = missing;
  }

  /** The missing events were added, except for those that are `left`. */
  added(left: number): void {
    this.filled.inc(this.missing - left);
    this.missing = left;
  }
}
