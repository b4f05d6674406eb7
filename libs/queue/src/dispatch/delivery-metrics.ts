import { Injectable } from '@nestjs/common';
import { queueNames } from '#libs/contracts';
import { Metrics } from '#libs/kernel';
import type { Outcome } from '#libs/mta';
import { Counter } from 'prom-client';

/** Counters of delivery in this process. */
@Injectable()
export class DeliveryMetrics {
  private readonly attempts: Counter<'outcome' | 'provider'>;
  private readonly requeued: Counter<'reason'>;

  constructor({ registry }: Metrics) {
    const registers = [registry];
    this.attempts = new Counter({
      name: 'postloft_attempts_total',
      help: 'Delivery attempts by outcome and mailbox provider.',
      labelNames: ['outcome', 'provider'],
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
      this.attempts.inc({
        outcome: unknown ? 'unknown_outcome' : outcome.kind,
        provider: queueNames.providerOfQueue(queue),
      });
    }
  }

  countRequeue(reason: string): void {
    this.requeued.inc({ reason });
  }
}
