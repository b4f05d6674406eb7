import { Injectable } from '@nestjs/common';
import { Metrics } from '#libs/kernel';
import type { Outcome } from '#libs/mta';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Values read at every scrape. */
export interface DeliveryState {
  inFlight: () => number;
  unsettled: () => number;
  waitingByReason: () => Map<string, number>;
  /** Seconds; rejects while the database is unavailable. */
  oldestDue: () => Promise<number>;
  isDnsUnavailable: () => boolean;
}

/** Metrics of delivery in this process. */
@Injectable()
export class DeliveryMetrics {
  private readonly registry: Registry;
  private readonly attempts: Counter<'outcome' | 'provider'>;
  private readonly requeued: Counter<'reason'>;

  constructor({ registry }: Metrics) {
    this.registry = registry;
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

  /** Registers the gauges. Called once, by the delivery loop. */
  observe(state: DeliveryState): void {
    const registers = [this.registry];
    this.gauge('postloft_deliveries_in_flight', 'Jobs in progress.', state.inFlight);
    this.gauge('postloft_deliveries_unsettled', 'Jobs between MAIL and the commit of their outcome.', state.unsettled);
    this.gauge(
      'postloft_dns_unavailable',
      '1 while no name server answers: messages wait, and no attempt is counted.',
      () => Number(state.isDnsUnavailable()),
    );
    new Gauge({
      name: 'postloft_deliveries_waiting',
      help: 'Claimed jobs waiting in memory, by reason.',
      labelNames: ['reason'],
      registers,
      collect() {
        this.reset();
        for (const [reason, jobs] of state.waitingByReason()) this.set({ reason }, jobs);
      },
    });
    new Gauge({
      name: 'postloft_oldest_due_seconds',
      help: 'Time that the oldest due message has waited to be claimed, in seconds.',
      registers,
      async collect() {
        this.set(await state.oldestDue().catch(() => NaN));
      },
    });
  }

  /** An attempt whose final dot was never answered has an outcome of its own: only such a message may arrive twice. */
  countAttempts(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      const unknown = outcome.kind === 'deferred' && outcome.certainty === 'unknown_outcome';
      const provider = (outcome.kind === 'abandoned' ? null : outcome.remote.provider) ?? 'other';
      this.attempts.inc({ outcome: unknown ? 'unknown_outcome' : outcome.kind, provider });
    }
  }

  countRequeue(reason: string): void {
    this.requeued.inc({ reason });
  }

  private gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(value());
      },
    });
  }
}
