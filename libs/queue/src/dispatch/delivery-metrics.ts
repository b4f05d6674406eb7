import { Injectable } from '@nestjs/common';
import { queueNames } from '#libs/contracts';
import { Metrics } from '#libs/kernel';
import type { Outcome } from '#libs/mta';
import { Counter, Histogram } from 'prom-client';

/** Upper bounds in seconds: from a server in the same network to the time-outs of a slow one. */
const ATTEMPT_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Counters and durations of delivery in this process. */
@Injectable()
export class DeliveryMetrics {
  private readonly attempts: Counter<'outcome' | 'provider'>;
  private readonly durations: Histogram<'provider'>;
  private readonly requeued: Counter<'reason'>;

  constructor({ registry }: Metrics) {
    const registers = [registry];
    this.attempts = new Counter({
      name: 'postloft_attempts_total',
      help: 'Delivery attempts by outcome and mailbox provider.',
      labelNames: ['outcome', 'provider'],
      registers,
    });
    this.durations = new Histogram({
      name: 'postloft_attempt_duration_seconds',
      help: 'Duration of delivery attempts that began, per recipient, by mailbox provider.',
      labelNames: ['provider'],
      buckets: ATTEMPT_BUCKETS,
      registers,
    });
    this.requeued = new Counter({
      name: 'postloft_deliveries_requeued_total',
      help: 'Jobs returned to the database without an attempt, by reason.',
      labelNames: ['reason'],
      registers,
    });
  }

  /** An attempt whose final dot was never answered has an outcome of its own: only such a message may arrive twice. */
  countAttempts(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      const unknown = outcome.kind === 'deferred' && outcome.certainty === 'unknown_outcome';
      const queue = (outcome.kind === 'abandoned' ? null : outcome.remote.provider) ?? 'other';
      const provider = queueNames.providerOfQueue(queue);
      this.attempts.inc({ outcome: unknown ? 'unknown_outcome' : outcome.kind, provider });
      if (outcome.kind === 'abandoned') continue;
      // The database clock is corrected now and then, also backwards.
      this.durations.observe({ provider }, Math.max(0, outcome.endedAt.getTime() - outcome.startedAt.getTime()) / 1000);
    }
  }

  countRequeue(reason: string): void {
    this.requeued.inc({ reason });
  }
}
